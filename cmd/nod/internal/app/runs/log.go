package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/ui/timeline"
)

// most bounds how many runs are known of a conversation, and of how many conversations; the
// oldest ones go first.
const most, mostTalks = 10_000, 64

// Log is what ran. Safe for concurrent use.
type Log struct {
	dir string // of the ledger

	mu      sync.Mutex
	talks   map[string]*talk
	order   []string // of talks, by their first run here
	of      map[string]string
	changed func()
}

// talk is what ran in a conversation.
type talk struct {
	runs   []timeline.Run
	loaded bool // what ran before this process is among them
}

// New makes a log beside the ledger in a folder.
func New(dir string) *Log {
	return &Log{dir: dir, talks: map[string]*talk{}, of: map[string]string{}}
}

// OnChange has f called after each change. It must not block.
func (l *Log) OnChange(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed = f
}

// tell unlocks l.mu, and calls who wants to hear of changes.
func (l *Log) tell() {
	f := l.changed
	l.mu.Unlock()
	if f != nil {
		f()
	}
}

// Fresh says that a conversation begins here: nothing of it is on record yet.
func (l *Log) Fresh(conversation string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.talk(conversation).loaded = true
}

// Begun takes what is about to run; id is its name on record.
func (l *Log) Begun(id string, i ledger.Intent) {
	l.mu.Lock()
	defer l.tell()
	if i.Time.IsZero() {
		i.Time = time.Now()
	}
	l.add(talkOf(i), runOf(id, i, timeline.Running))
}

// Ended takes how it ended.
func (l *Log) Ended(id string, c ledger.Conclusion) {
	l.mu.Lock()
	defer l.tell()
	t := l.talks[l.of[id]]
	delete(l.of, id)
	if t == nil {
		return
	}
	if at := slices.IndexFunc(t.runs, func(r timeline.Run) bool { return r.ID == id }); at >= 0 {
		conclude(&t.runs[at], c)
	}
}

// Underway are the targets on which something runs that was not told to have ended.
func (l *Log) Underway() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	on := map[string]bool{}
	for id, name := range l.of {
		t := l.talks[name]
		if t == nil {
			continue
		}
		if at := slices.IndexFunc(t.runs, func(r timeline.Run) bool { return r.ID == id }); at >= 0 {
			on[t.runs[at].Target] = true
		}
	}
	return on
}

// Noted takes a note; what was denied is a run that was none.
func (l *Log) Noted(n ledger.Note) {
	if n.Kind != deniedKind || n.Proposal == nil {
		return
	}
	l.mu.Lock()
	defer l.tell()
	i := *n.Proposal
	l.add(talkOf(i), denied(fmt.Sprintf("denied %d", i.Time.UnixNano()), i, n))
}

// deniedKind is the kind of the notes on what was denied.
const deniedKind = "denied"

// add adds a run to a conversation. l.mu is held.
func (l *Log) add(name string, r timeline.Run) {
	t := l.talk(name)
	t.runs = append(t.runs, r)
	if len(t.runs) > most {
		t.runs = slices.Delete(t.runs, 0, len(t.runs)-most)
	}
	if r.State == timeline.Running {
		l.of[r.ID] = name
	}
}

// talk is what is known of a conversation. l.mu is held.
func (l *Log) talk(name string) *talk {
	if t := l.talks[name]; t != nil {
		return t
	}
	l.talks[name] = &talk{}
	l.order = append(l.order, name)
	if len(l.order) > mostTalks {
		delete(l.talks, l.order[0])
		l.order = l.order[1:]
	}
	return l.talks[name]
}

// List is what ran in a conversation, in no order. What ran before this process is read
// from the record; an error says what of it cannot be.
func (l *Log) List(conversation string) ([]timeline.Run, error) {
	if conversation == "" {
		return nil, nil
	}
	l.mu.Lock()
	loaded := l.talk(conversation).loaded
	l.mu.Unlock()
	var before []timeline.Run
	var err error
	if !loaded {
		before, err = Load(l.dir, conversation)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.talk(conversation)
	for _, r := range before {
		if !t.loaded && !slices.ContainsFunc(t.runs, func(known timeline.Run) bool { return known.ID == r.ID }) {
			t.runs = append(t.runs, r)
		}
	}
	t.loaded = true
	return slices.Clone(t.runs), err
}

// Load reads from the ledger in a folder what ran in a conversation. What was not concluded
// has an outcome that nobody knows.
func Load(dir, conversation string) ([]timeline.Run, error) {
	var runs []timeline.Run
	at := map[string]int{}
	err := ledger.Read(dir, func(r ledger.Record) error {
		switch {
		case r.Intent != nil && talkOf(*r.Intent) == conversation:
			at[r.Ref] = len(runs)
			runs = append(runs, runOf(r.Ref, *r.Intent, timeline.Unknown))
		case r.Conclusion != nil:
			if i, ours := at[r.Ref]; ours {
				conclude(&runs[i], *r.Conclusion)
			}
		case r.Note != nil && r.Note.Kind == deniedKind && r.Note.Proposal != nil && talkOf(*r.Note.Proposal) == conversation:
			i := *r.Note.Proposal
			runs = append(runs, denied(fmt.Sprintf("denied %d", i.Time.UnixNano()), i, *r.Note))
		}
		return nil
	})
	return runs, err
}

// talkOf is the conversation that something ran in: that of the operator where a sub-agent
// wanted it.
func talkOf(i ledger.Intent) string { return cmp.Or(i.Parent, i.Conversation) }

// runOf is an intent as a run.
func runOf(id string, i ledger.Intent, state timeline.State) timeline.Run {
	what := i.Command
	if what == "" {
		what = strings.TrimSpace(i.Tool + " " + i.Path)
	}
	return timeline.Run{
		ID: id, Target: i.Target, What: what, Agent: i.Agent, Began: i.Time, State: state, Recorded: i.Recording != nil,
	}
}

func denied(id string, i ledger.Intent, n ledger.Note) timeline.Run {
	r := runOf(id, i, timeline.Denied)
	r.Outcome = "denied"
	if n.Text != "" {
		r.Outcome += ": " + n.Text
	}
	return r
}

// conclude says of a run how it ended.
func conclude(r *timeline.Run, c ledger.Conclusion) {
	r.Took, r.Recorded = c.Duration, r.Recorded || c.Recording != nil
	switch {
	case strings.Contains(c.Error, agent.InterruptedText):
		r.State, r.Outcome = timeline.Interrupted, agent.InterruptedText
	case c.Outcome == ledger.Exited && c.ExitCode != nil && *c.ExitCode == 0:
		r.State, r.Outcome = timeline.OK, "exited 0"
	case c.Outcome == ledger.Exited && c.ExitCode != nil:
		r.State, r.Outcome = timeline.Failed, fmt.Sprintf("exited %d", *c.ExitCode)
	case c.Outcome == ledger.Signalled:
		r.State, r.Outcome = timeline.Failed, "ended by the signal "+c.Signal
	case c.Outcome == ledger.TimedOut:
		r.State, r.Outcome = timeline.Failed, "timed out"
	case c.Outcome == ledger.Failed:
		r.State, r.Outcome = timeline.Failed, cmp.Or(c.Error, "failed")
	default:
		r.State, r.Outcome = timeline.Unknown, "unknown"
		if c.Error != "" {
			r.Outcome += ": " + c.Error
		}
	}
}
