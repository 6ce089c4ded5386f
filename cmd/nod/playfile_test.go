package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// A play is a task and a model that works at it, from a file of turns. The model is an
// ideal one: it knows what it wants, and only what it has seen so far.
type play struct {
	Goal  string     // what the operator says
	Ideal int        // replies that an ideal agent needs, the answer among them
	Needs []string   // programs that must be there
	Root  bool       // it mounts something
	Hosts bool       // it works on two hosts, ssh:box and ssh:box2, too
	Apart bool       // which are not connected
	Setup string     // a shell script in the play's folder, before
	Check string     // and after: whether the task is done
	End   string     // and at last: nothing is left behind
	Turns []playTurn `toml:"turn"`
}

// playTurn is one reply of the model.
type playTurn struct {
	// Match is an RE2 expression that must be found in the results since the last reply, or
	// in what the operator and nod have said since.
	// What its named groups hold stands for @NAME@ from then on.
	Match string
	When  string     // the reply is given only if this is found there
	Steer string     // what the operator says while the model works, before the reply
	Think string     // what the model thinks before the reply
	Calls []playCall `toml:"call"`
	Say   string     // the answer
}

// playCall is a call; Acts claims a change.
type playCall struct {
	Tool string
	Acts bool
	Args map[string]any
}

// readPlay reads a play file. A name in it that means nothing is an error.
func readPlay(t *testing.T, name string) play {
	t.Helper()
	f, err := os.Open(name) //nolint:gosec // one of the test's own files
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	var p play
	if err := toml.NewDecoder(f).DisallowUnknownFields().Decode(&p); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// actor serves a play's model.
type actor struct {
	*httptest.Server
	play   play
	steer  func(text string) error // the operator's way to speak
	mu     sync.Mutex
	values map[string]string // by name
	next   int               // turn
	given  int               // replies
	faults []string
}

// serve answers each request with the play's next reply; values are what stands for
// @NAME@ from the beginning.
func (p play) serve(t *testing.T, values map[string]string) *actor {
	t.Helper()
	m := &actor{play: p, values: values}
	m.Server = httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(m.Close)
	return m
}

func (m *actor) answer(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"played","object":"model","owned_by":"vllm","max_model_len":131072}]}`)
		return
	}
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, "not here", http.StatusNotFound)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	said := results(req)
	reply, fault := m.reply(said)
	if fault != "" {
		m.faults = append(m.faults, fmt.Sprintf("turn %d: %s; the results are\n%s", m.next+1, fault, said))
		http.Error(w, `{"error":{"message":"the play is over"}}`, http.StatusTeapot)
		return
	}
	m.given++
	w.Header().Set("Content-Type", "text/event-stream")
	for _, delta := range reply {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", delta)
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// goal is what the operator says.
func (m *actor) goal() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.filled(m.play.Goal).(string)
}

// over is how many replies were given, and what was wrong.
func (m *actor) over() (given int, faults []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.given, m.faults
}

// reply is the next one, as the pieces of a stream, or what is wrong. m.mu is held.
func (m *actor) reply(said string) (pieces []string, fault string) {
	for ; m.next < len(m.play.Turns); m.next++ {
		if when := m.play.Turns[m.next].When; when == "" || regexp.MustCompile(when).MatchString(said) {
			break
		}
	}
	if m.next == len(m.play.Turns) {
		return nil, "there is no turn any more"
	}
	t := m.play.Turns[m.next]
	if t.Match != "" {
		re := regexp.MustCompile(t.Match)
		found := re.FindStringSubmatch(said)
		if found == nil {
			return nil, fmt.Sprintf("%q is not in the results", t.Match)
		}
		for i, name := range re.SubexpNames() {
			if name != "" {
				m.values[name] = found[i]
			}
		}
	}
	m.next++
	if t.Steer != "" {
		if err := m.steer(t.Steer); err != nil {
			return nil, err.Error()
		}
	}
	if t.Think != "" {
		pieces = append(pieces, chunk(map[string]any{"reasoning_content": m.filled(t.Think)}, nil))
	}
	if t.Say != "" {
		return append(pieces, says(m.filled(t.Say).(string))...), ""
	}
	var list []call
	for i, c := range t.Calls {
		args, ok := m.filled(c.Args).(map[string]any)
		if !ok {
			return nil, fmt.Sprintf("call %d has no arguments", i+1)
		}
		if slices.Contains([]string{"run_shell", "send-keys", "edit_file", "write_file", "kill_job", "tmux-create-pane", "connect_target"}, c.Tool) {
			args["risk"], args["mutation"], args["privesc"], args["why"] = "low", c.Acts, false, "the play wants it"
			if c.Acts {
				args["risk"] = "medium"
			}
		}
		list = append(list, call{fmt.Sprintf("turn%d-%d", m.next, i), c.Tool, args})
	}
	return append(pieces, calls(list...)...), ""
}

// filled puts values in the place of their names. m.mu is held.
func (m *actor) filled(v any) any {
	switch v := v.(type) {
	case string:
		for name, value := range m.values {
			v = strings.ReplaceAll(v, "@"+name+"@", value)
		}
		return v
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = m.filled(v[i])
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for key, value := range v {
			all[key] = m.filled(value)
		}
		return all
	}
	return v
}

// results are those of the calls since the last reply, each as it was sent, and the texts
// in it a line each; and what was said since.
func results(req request) string {
	var b strings.Builder
	from := 0
	for i, msg := range req.Messages {
		if msg.Role == "assistant" {
			from = i
		}
	}
	for _, msg := range req.Messages[from:] {
		if msg.Role == "user" {
			b.WriteString(msg.Content + "\n")
		}
		if msg.Role != "tool" {
			continue
		}
		b.WriteString(msg.Content + "\n")
		dec := json.NewDecoder(strings.NewReader(msg.Content))
		for {
			token, err := dec.Token()
			if err != nil {
				break
			}
			if text, ok := token.(string); ok {
				b.WriteString(text + "\n")
			}
		}
	}
	return b.String()
}
