package terminal

import (
	"context"
	"crypto/sha256"
	_ "embed" // the tool's guidance
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

// MaxCapture is how many characters of a capture are returned: its last ones.
const MaxCapture = 8_000

//go:embed capture_pane.md
var capturePaneGuide string

// CapturePane is the tool capture-pane. It must not be copied.
type CapturePane struct {
	Guard *guard.Guard

	mu   sync.Mutex
	last map[view]shot
}

// view is what was captured.
type view struct{ target, pane, view string }

// shot is how it looked when it was captured last.
type shot struct {
	sum  [sha256.Size]byte
	when time.Time
}

var _ tools.Tool = (*CapturePane)(nil)

// Name implements [tools.Tool].
func (*CapturePane) Name() string { return "capture-pane" }

// Description implements [tools.Tool].
func (*CapturePane) Description() string { return spec.Brief(capturePaneGuide) }

// Guidance implements [tools.Documented].
func (*CapturePane) Guidance() string { return spec.Whole(capturePaneGuide) }

// Parallelizable implements [tools.Tool].
func (*CapturePane) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (*CapturePane) InputSchema() map[string]any {
	return spec.Schema(selectorSchema(map[string]any{
		"start":                    spec.String(`"0": the screen's first, "-100": above it, "-": the oldest`),
		"end":                      spec.String(`"-": the last`),
		"join_wrapped_lines":       spec.Bool("default true"),
		"preserve_trailing_spaces": spec.Bool(""),
		"include_escape_sequences": spec.Bool(""),
		"escape_non_printable":     spec.Bool(""),
		"include_alternate_screen": spec.Bool(""),
		"delay":                    spec.String(`before, "5s"`),
	}))
}

var lineNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(-|-?[0-9]{1,9})$`) })

type captureArgs struct {
	Start          json.RawMessage `json:"start"`
	End            json.RawMessage `json:"end"`
	JoinWrapped    *bool           `json:"join_wrapped_lines"`
	TrailingSpaces bool            `json:"preserve_trailing_spaces"`
	Escapes        bool            `json:"include_escape_sequences"`
	EscapeControls bool            `json:"escape_non_printable"`
	Alternate      bool            `json:"include_alternate_screen"`
	Delay          string          `json:"delay"`
	selector
}

// Plan implements [tools.Tool]. Where a pane that is named is not there, the
// action is for the shared one.
func (c *CapturePane) Plan(ctx context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args captureArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	v, err := args.view()
	if err != nil {
		return tools.Action{}, err
	}
	delay, err := parseDelay(args.Delay)
	if err != nil {
		return tools.Action{}, err
	}
	about, err := args.place(c.Guard, env)
	if err != nil {
		return tools.Action{}, err
	}
	state, err := args.look(ctx, c.Guard)
	if args.explicit() && isNoPane(err) {
		v.InsteadOf = args.name()
		args.Session, args.Pane = "", ""
		state, err = args.look(ctx, c.Guard)
	}
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Tool: c.Name(), Kind: tools.Read, Target: about.Target, User: about.User,
		Pane: state.ID, Command: v.Encode(), Wait: delay,
	}, nil
}

func isNoPane(err error) bool {
	var rejected *tools.Rejection
	if !errors.As(err, &rejected) {
		return false
	}
	p, ok := rejected.Result.Value.(tools.Problem)
	return ok && p.Code == "no_pane"
}

// view is what the arguments ask for.
func (a captureArgs) view() (guard.View, error) {
	start, err := parseLine("start", a.Start)
	if err != nil {
		return guard.View{}, err
	}
	end, err := parseLine("end", a.End)
	if err != nil {
		return guard.View{}, err
	}
	return guard.View{
		Start: start, End: end,
		JoinWrapped:    a.JoinWrapped == nil || *a.JoinWrapped,
		TrailingSpaces: a.TrailingSpaces,
		Escapes:        a.Escapes,
		EscapeControls: a.EscapeControls,
		Alternate:      a.Alternate,
	}, nil
}

// parseLine reads a line number, as a number or as text.
func parseLine(name string, raw json.RawMessage) (string, error) {
	text := string(raw)
	if text == "" || text == "null" {
		return "", nil
	}
	if raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", tools.Invalid("%s: %w", name, err)
		}
	}
	if !lineNumber().MatchString(text) {
		return "", tools.Invalid(`%s is %s, want a line number such as 0 or -100, or "-"`, name, raw)
	}
	return text, nil
}

// CaptureValue is the Value of capture-pane's Result.
type CaptureValue struct {
	Pane    string   `json:"pane"`
	Text    string   `json:"text"`
	Notices []string `json:"notices,omitempty"`
}

// Execute implements [tools.Tool].
func (c *CapturePane) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	began := env.Time()
	if err := sleep(ctx, a.Wait); err != nil {
		return outcome(ctx, err)
	}
	got, err := c.Guard.Capture(ctx, a, env.Grant)
	if err != nil {
		return outcome(ctx, err)
	}
	v := CaptureValue{Pane: a.Pane, Notices: got.Notices}
	instead := ""
	if got.InsteadOf != "" {
		instead = fmt.Sprintf("there is no %s: this is the shared pane, %s", got.InsteadOf, a.Pane)
		v.Notices = append([]string{instead}, v.Notices...)
	}
	text := strings.ToValidUTF8(got.Text, "\uFFFD")
	if before, same := c.unchanged(a, text, env.Time()); same {
		v.Notices = append(v.Notices, fmt.Sprintf("unchanged since the last capture, %s ago", env.Time().Sub(before).Round(time.Second)))
	}
	var omitted int
	if v.Text, omitted = tools.Tail(text, MaxCapture); omitted > 0 {
		v.Text = fmt.Sprintf("[truncated %d chars from start]\n%s", omitted, v.Text)
	}
	if instead != "" {
		v.Text = "[" + instead + "]\n" + v.Text // so that nobody reads on without it
	}
	return tools.Result{Value: v, Record: tools.Record{
		Outcome:   backends.ExitedWith(0),
		Bytes:     int64(len(got.Text)),
		Truncated: omitted > 0,
		Duration:  env.Time().Sub(began),
	}}, nil
}

// unchanged compares a capture with the last one of the same view.
func (c *CapturePane) unchanged(a tools.Action, text string, now time.Time) (before time.Time, same bool) {
	key, sum := view{a.Target, a.Pane, a.Command}, sha256.Sum256([]byte(text))
	c.mu.Lock()
	defer c.mu.Unlock()
	last, ok := c.last[key]
	if c.last == nil || len(c.last) >= maxShots {
		c.last = map[view]shot{}
	}
	c.last[key] = shot{sum, now}
	return last.when, ok && last.sum == sum
}

// maxShots bounds what is remembered of captures; beyond, all is forgotten.
const maxShots = 1_000
