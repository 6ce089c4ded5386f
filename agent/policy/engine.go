package policy

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/inverse"
	"github.com/nod-console/nod/tools/risk"
)

// MaxWindow bounds a timed window.
const MaxWindow = time.Hour

// Errors of an Engine.
var (
	// ErrNoApprover: something asked and there is nobody to ask.
	ErrNoApprover = errors.New("nobody can be asked")
	// ErrWindow: a window longer than MaxWindow, or negative.
	ErrWindow = fmt.Errorf("a window lasts between 0 and %v", MaxWindow)
	// ErrWindowPosture: a window in a posture that it could not change anything in.
	ErrWindowPosture = errors.New("a window opens only in the posture ask")
)

// Options of an Engine.
type Options struct {
	// Minter mints the grants. Never nil.
	Minter *tools.Minter
	Rules  *Rules
	// Trust is each target's trust; names may be patterns, of the whole name
	// ("ssh:web-*") or of the host or container alone ("web-*"). The strictest
	// that matches counts.
	Trust    map[string]Trust
	Posture  Posture
	Approver Approver // nil denies whatever asks
	// Own are nod's own folders on this machine: state and configuration.
	Own []string
	// Home is what "~" means on this machine.
	Home string
	// Hosts are the hosts of the operator's targets, as he calls them: asking
	// them runs by itself like any plain observation. Safe for concurrent use.
	// Nil: none is known.
	Hosts func() []string
	// Keep writes a rule, in TOML, into the rules file and returns all rules of
	// the file as it then is: see AppendRule. Nil: nothing is approved for good.
	Keep func(rule string) (*Rules, error)
	// Cage is what holds commands on a target; nil where nothing does. It may wait
	// until that is known. Nil: nothing holds commands anywhere.
	Cage func(ctx context.Context, target string) Cage
	// Confinement is what the operator wants of cages, Confinements on some targets:
	// names are those of Trust.
	Confinement  Confinement
	Confinements map[string]Confinement
	// ApproveAll skips asking. It lifts no denial.
	ApproveAll bool
	// Reverts says how long after its arming a revert comes on a target, for
	// actions there that may lock the operator out; 0 means that none is offered.
	// Nil: nowhere.
	Reverts func(target string) time.Duration
	// Absent reports whether a target is known to have nothing of an absolute name,
	// not even a link that leads nowhere. It may take as long as the target takes to
	// answer. Nil: it is never known.
	Absent func(target, name string) bool
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Engine decides. Safe for concurrent use.
type Engine struct {
	opt    Options
	trusts []trusted
	own    []string
	// confined are the operator's words about cages; the first is for all targets.
	confined []confined

	rules atomic.Pointer[Rules]

	mu      sync.Mutex
	posture Posture
	window  time.Time               // when the timed window ends
	granted map[conversational]bool // approved for a conversation
	rooted  map[rooted]bool         // where looks with root's rights are allowed
	along   map[companion]bool      // approved along with something else
	pace    pace
}

type trusted struct {
	glob
	trust Trust
}

// conversational names an action in a conversation: the digest is that of the
// action without what the model says of it.
type conversational struct {
	conversation string
	digest       tools.Digest
}

// NewEngine returns an engine.
func NewEngine(opt Options) (*Engine, error) {
	if opt.Minter == nil {
		return nil, errors.New("policy: an engine without a minter")
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	e := &Engine{opt: opt, posture: opt.Posture, granted: map[conversational]bool{}, rooted: map[rooted]bool{}, along: map[companion]bool{}}
	e.rules.Store(opt.Rules)
	for name, trust := range opt.Trust {
		if trust != Prod && trust != Stage && trust != Lab {
			return nil, fmt.Errorf("policy: target %q: unknown trust %q: want prod, stage or lab", name, trust)
		}
		g, err := newGlob(name, false)
		if err != nil {
			return nil, fmt.Errorf("policy: target %w", err)
		}
		e.trusts = append(e.trusts, trusted{g, trust})
	}
	var err error
	if e.confined, err = readConfinements(opt.Confinement, opt.Confinements); err != nil {
		return nil, err
	}
	for _, dir := range opt.Own {
		e.own = append(e.own, spellings(dir)...)
	}
	return e, nil
}

// spellings are a folder's name and what it is without links.
func spellings(dir string) []string {
	all := []string{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != all[0] {
		all = append(all, real)
	}
	return all
}

// Rules returns the operator's rules that hold now.
func (e *Engine) Rules() []Rule { return e.rules.Load().All() }

// Posture returns the present posture.
func (e *Engine) Posture() Posture {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.posture
}

// SetPosture changes the posture from the next decision on and closes the timed
// window.
func (e *Engine) SetPosture(p Posture) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.posture = p
	e.window = time.Time{}
}

// OpenWindow lets changes that would ask pass for d: only on targets that are
// not prod, and only what /undo takes back exactly, has no flag and is understood. What a
// rule of the operator's asks about is asked. 0 closes the window.
func (e *Engine) OpenWindow(d time.Duration) error {
	if d < 0 || d > MaxWindow {
		return fmt.Errorf("policy: %v: %w", d, ErrWindow)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if d > 0 && e.posture != PostureAsk {
		return fmt.Errorf("policy: the posture is %s: %w", e.posture, ErrWindowPosture)
	}
	e.window = e.opt.Now().Add(d)
	return nil
}

// Window is how long the timed window is still open; 0 if it is closed.
func (e *Engine) Window() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return max(0, e.window.Sub(e.opt.Now()))
}

// trustOrder are the trusts, the mildest first.
var trustOrder = []Trust{"", Lab, Stage, Prod}

// TrustOf is a target's trust.
func (e *Engine) TrustOf(target string) Trust {
	best := Trust("")
	for _, t := range e.trusts {
		if t.covers(target) && slices.Index(trustOrder, t.trust) > slices.Index(trustOrder, best) {
			best = t.trust
		}
	}
	return best
}

// Decide decides about p. The error is the approver's, or says that nobody
// could be asked or that ctx ended; the Decision is a denial then.
func (e *Engine) Decide(ctx context.Context, p Proposal) (Decision, error) {
	x := e.explained(ctx, &p)
	d := Decision{Rule: x.Rule, Verdict: x.Verdict, Action: p.Action}
	switch {
	case p.Under != "":
		return e.alongside(p, d), nil
	case p.Preview:
		return e.preview(p, x, d), nil
	case p.Unrecorded:
		return e.unrecorded(p, x, d), nil
	case x.Ruling == Allow && (p.Must == "" || x.How == ByConversation):
		return e.allow(p.Action, d, x.How), nil
	case x.Ruling == Deny:
		d.How, d.Reason = DeniedByRule, x.Why
		return d, nil
	case p.Must != "":
		x.Why = p.Must
	case e.opt.ApproveAll:
		return e.allow(p.Action, d, ByApproveAll), nil
	}
	return e.ask(ctx, p, x, d)
}

// allow is the only place where grants are minted.
func (e *Engine) allow(a tools.Action, d Decision, how How) Decision {
	d.Allowed, d.How = true, how
	d.Action, d.Grant, d.Grants = e.mint(a)
	return d
}

// ask asks the operator.
func (e *Engine) ask(ctx context.Context, p Proposal, x Explanation, d Decision) (Decision, error) {
	d.How, d.Reason = DeniedByCancel, "nobody answered"
	if e.opt.Approver == nil {
		d.Reason = "this needs an approval, and nobody can be asked"
		return d, fmt.Errorf("policy: %w", ErrNoApprover)
	}
	r := e.request(p, x)
	d.Asked, d.Request = true, &r
	if p.Asked != nil {
		p.Asked(r)
	}
	begin := e.opt.Now()
	answer, err := e.opt.Approver.Approve(ctx, r)
	d.Took = e.opt.Now().Sub(begin)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return d, fmt.Errorf("policy: ask the operator: %w", err)
	}
	if d = e.weigh(p, r, answer, d); d.Allowed && x.looks {
		e.allowLooks(p)
	}
	return d, nil
}

// weigh turns an answer into a decision. An answer that does not fit the
// request denies.
func (e *Engine) weigh(p Proposal, r Request, answer Answer, d Decision) Decision {
	d.How, d.Reason = DeniedByAnswer, answer.Reason
	switch {
	case answer.RequestID != r.ID:
		d.Reason = "the answer belongs to another request"
	case answer.Edited != nil:
		d.How, d.Edited, d.Reason = DeniedByEdit, answer.Edited, "the operator wants another command"
	case !answer.Approved && answer.Void != "":
		d.How, d.Reason = DeniedByChange, answer.Void
		if answer.Reason != "" {
			d.Reason += "; the operator says: " + answer.Reason
		}
	case !answer.Approved:
	case answer.Typed != r.Confirm:
		d.Reason = fmt.Sprintf("%q was to be typed", r.Confirm)
	case !slices.Contains(r.Scopes, answer.Scope):
		d.Reason = "the answer has a scope that was not offered"
	case answer.Revert && r.Revert == nil:
		d.Reason = "the answer wants a revert that was not offered"
	default:
		how := ByOperator
		switch answer.Scope {
		case Conversation:
			e.mu.Lock()
			e.granted[key(p)] = true
			e.mu.Unlock()
		case Always:
			name, err := e.keep(r.Keep)
			if err != nil {
				d.Reason = fmt.Sprintf("not run: the rule that was to hold from now on cannot be written: %v", err)
				return d
			}
			how, d.Rule = ByAlways, name
		}
		d.Reason = ""
		if answer.Revert {
			d.Revert = r.Revert
			e.accompany(r.ID, r.Revert.Arm, r.Revert.Disarm, r.Revert.Collect)
		}
		e.approved(answer, d.Took)
		return e.allow(p.Action, d, how)
	}
	return d
}

// harmless reports whether something may be approved for more than once.
func harmless(v risk.Verdict) bool {
	return !v.Effect.AtLeast(risk.Destroy) && v.Flags&(risk.Lockout|risk.Exfil|risk.Opaque) == 0
}

// placed reports whether the folder is known where it matters: an approval for
// more than once must not hold in the next folder that a pane goes to.
func placed(a tools.Action, v risk.Verdict) bool { return path.IsAbs(a.Dir) || !inFolder(v) }

// key names p's action for its conversation.
func key(p Proposal) conversational {
	return conversational{p.Conversation, p.Action.Unclaimed().Digest()}
}

// lifted reports what lets something pass that would ask.
func (e *Engine) lifted(p Proposal, x Explanation) (How, bool) {
	e.mu.Lock()
	granted, open := e.granted[key(p)], e.opt.Now().Before(e.window)
	e.mu.Unlock()
	if p.Conversation != "" && granted && harmless(x.Combined) {
		return ByConversation, true
	}
	v := x.Combined
	if open && x.Rule == "" && len(p.Taint) == 0 && x.Trust != Prod && !v.Effect.AtLeast(risk.Destroy) && v.Flags == 0 && understood(v) && e.undone(p.Action) {
		return ByWindow, true
	}
	return "", false
}

// undone reports whether /undo takes back exactly what an action does, or there
// is nothing to take back once it is done. What is typed is read by a program
// that nobody knows the state of.
func (e *Engine) undone(a tools.Action) bool {
	switch a.Kind {
	case tools.Write:
		return a.Target != tools.Desk // the former content is kept
	case tools.Exec, tools.Run:
		if len(a.Stdin) > 0 || len(a.Inside) > 0 {
			return false
		}
		back, ok := inverse.Of(a.Command)
		return ok && (back.Exact || e.makes(a, back.New)) || inverse.Restarts(a.Command)
	}
	return false
}

// makes reports whether there are names that an action makes, and nothing has one
// of them yet.
func (e *Engine) makes(a tools.Action, names []string) bool {
	if len(names) == 0 || e.opt.Absent == nil {
		return false
	}
	return !slices.ContainsFunc(names, func(n string) bool {
		if !path.IsAbs(n) {
			n = strings.TrimSuffix(a.Dir, "/") + "/" + n
			if !path.IsAbs(a.Dir) {
				return true
			}
		}
		return n != path.Clean(n) || !e.opt.Absent(a.Target, n)
	})
}

// understood reports whether every program, sub-command and option was known.
func understood(v risk.Verdict) bool {
	return !slices.ContainsFunc(v.Findings, func(f risk.Finding) bool { return strings.HasSuffix(f.Rule, ".unknown") })
}

// isOwnFrom reports whether a relative path on this machine leads into one of
// nod's own folders from some folder above it. At least two names must fit, as
// in "state/nod": one alone is too common.
func (e *Engine) isOwnFrom(target, p string) bool {
	return target == "local" && slices.ContainsFunc(e.own, func(dir string) bool {
		for at := 1; strings.Contains(dir[at:], "/"); at += strings.IndexByte(dir[at:], '/') + 1 {
			if below(strings.TrimSuffix(p, "/"), dir[at:]) {
				return true
			}
		}
		return false
	})
}

// isOwn reports whether a path on this machine is one of nod's own.
func (e *Engine) isOwn(target, p string) bool {
	if target != "local" {
		return false
	}
	names := []string{p}
	if real, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil {
		names = append(names, filepath.Join(real, filepath.Base(p)))
	}
	return slices.ContainsFunc(names, func(n string) bool {
		return slices.ContainsFunc(e.own, func(dir string) bool { return below(strings.TrimSuffix(n, "/"), dir) })
	})
}
