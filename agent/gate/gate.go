package gate

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/redact"
	"github.com/nod-console/nod/agent/slip"
	"github.com/nod-console/nod/agent/taint"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/hook"
)

// abandonAfter is how long an execution may go on after its context ended. It
// is longer than a target takes to kill a program (backends.KillDelay).
const abandonAfter = 4 * time.Second

// leaveAfter is how long planning and deciding may go on then. Neither ends
// anything, so there is nothing to wait for.
const leaveAfter = 500 * time.Millisecond

// Recorder is the record of what was allowed to run; [ledger.Ledger] is one.
type Recorder interface {
	Healthy() error
	Intend(ctx context.Context, i ledger.Intent) (ledger.Ref, error)
	Conclude(ref ledger.Ref, c ledger.Conclusion) error
	Note(n ledger.Note) error
}

// Decider decides what may run; [policy.Engine] is one.
type Decider interface {
	Decide(ctx context.Context, p policy.Proposal) (policy.Decision, error)
}

var (
	_ Recorder = (*ledger.Ledger)(nil)
	_ Decider  = (*policy.Engine)(nil)
)

// Config says what a Gate is made of. Tools, Policy and Ledger are never nil.
type Config struct {
	Tools *tools.Registry
	// Effects are the tools that code which users have added can have called; nil means
	// Tools. They are nod's own, whoever else has a tool of such a name.
	Effects *tools.Registry
	Policy  Decider
	Ledger  Recorder
	// Operator is who decides at this console, for the record.
	Operator string
	// Timeout bounds an execution that sets no longer wait itself; 0 means as
	// long as it takes.
	Timeout time.Duration
	// Ended is told, at once and from any goroutine, that a command which was
	// only dispatched has ended. It must not block. Nil means nobody listens;
	// the model hears of it either way.
	Ended func(agent.RunEnded)
	// Did is told of each action that has succeeded, but for what stands by
	// another one (reverts, looks around), from any goroutine. It must be quick.
	// Nil means that nobody listens.
	Did func(tools.Action)
	// Reverts carries out what the policy's reverts need. Nil: an approval that
	// wants one is a denial.
	Reverts Reverts
	// Reverting is told how an armed revert stands, at once and from any
	// goroutine. It must not block. Nil means that nobody listens.
	Reverting func(agent.Reverting)
	// Secrets is what keeps secrets from the model; nil means one of the gate's
	// own, with the built-in kinds.
	Secrets *redact.Keeper
	// Chunks lets the sinks of calls get what commands write, as it comes, with secrets
	// taken out line by line.
	Chunks bool
	// Hooks have a say before and after each step; nil: there are none.
	Hooks *hook.Set
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Gate is the only way by which anything runs: plan, assess, decide, record,
// execute, record. The loop's calls take it, and so does "nod run". Safe for
// concurrent use.
type Gate struct {
	cfg     Config
	abandon time.Duration

	closing context.Context
	close   context.CancelFunc
	wg      sync.WaitGroup

	mu         sync.Mutex
	released   map[tools.Digest]*redact.Vault // actions whose secrets may be filled in
	ended      map[string][]agent.RunEnded    // by conversation, until the model is told
	successors map[string]string              // of conversations that are over, who hears what still ends
}

// New returns a gate.
func New(cfg Config) (*Gate, error) {
	if cfg.Tools == nil || cfg.Policy == nil || cfg.Ledger == nil {
		return nil, errors.New("gate: a gate needs tools, a policy and a ledger")
	}
	if cfg.Effects == nil {
		cfg.Effects = cfg.Tools
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Secrets == nil {
		detector, err := redact.NewDetector()
		if err != nil {
			return nil, err
		}
		cfg.Secrets = redact.NewKeeper(detector)
	}
	g := &Gate{cfg: cfg, abandon: abandonAfter, ended: map[string][]agent.RunEnded{}, released: map[tools.Digest]*redact.Vault{}, successors: map[string]string{}}
	g.closing, g.close = context.WithCancel(context.Background())
	return g, nil
}

// Tools are the tools that the gate's calls may name.
func (g *Gate) Tools() *tools.Registry { return g.cfg.Tools }

// Secrets are those of a conversation.
func (g *Gate) Secrets(conversation string) *redact.Vault { return g.cfg.Secrets.Vault(conversation) }

// Close stops waiting for commands that were only dispatched. Their intents
// have no conclusion then, and are "unknown" from the next start on. What is
// being executed is not touched.
func (g *Gate) Close() {
	g.close()
	g.wg.Wait()
}

// Call is a tool call that wants to pass the gate.
type Call struct {
	ID           string
	Tool         string
	Arguments    json.RawMessage
	Conversation string
	// Target is the one that the call means if it names none.
	Target string
	// Operator marks what the operator asked for himself; no model claims
	// anything about it.
	Operator bool
	// From says which sub-agent makes it; zero for the operator's own agent.
	From    From
	Outputs tools.Outputs
	// Seen knows what targets have printed; nil if nothing is tainted.
	Seen *taint.Memory
}

// From says which sub-agent something comes from; the zero value is the operator's
// own agent.
type From struct {
	Agent  string // its type
	Parent string // the conversation that sent it
	// ReadOnly lets only plain observations run, whatever the posture is.
	ReadOnly bool
}

// Step is one action that wants to pass the gate.
type Step struct {
	Action       tools.Action
	Call         string
	Conversation string
	Operator     bool
	From         From
	// Execute does what a says. It is called at most once for an action, and
	// never before the action is on record if it acts.
	Execute func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error)
	// Fold makes one result of those of an action's parts, each of which Execute was called
	// for. An action with parts does not run without it.
	Fold func(ctx context.Context, a tools.Action, parts []tools.Part, env tools.Env) tools.Result
	// Edit plans the action anew with another command. Nil means that the
	// operator's edit is a denial which tells the model what he wants.
	Edit func(ctx context.Context, command string) (tools.Action, error)
	// Outputs is passed to Execute in its Env.
	Outputs tools.Outputs
	// Seen knows what targets have printed; nil if nothing is tainted.
	Seen *taint.Memory
	// Preview marks a look around before the operator decides about something
	// else; see [policy.Proposal].
	Preview bool

	target     string        // that a call means if it names none
	unrecorded error         // why it cannot be put on record; nil if it can
	companion  *companion    // of which revert it is a step, or nil
	ended      chan struct{} // closed when it has ended, if a revert waits for that
	notes      []string      // what hooks have said of it
}

// Answer is how a call or a step ended.
type Answer struct {
	// Result is for the model, also where nothing ran.
	Result tools.Result
	// Err is what the operator must hear of: an infrastructure fault of type
	// *tools.Error. The Result tells the model of it.
	Err error
	// Action is what was planned last, Decision what was decided about it.
	Action   tools.Action
	Decision policy.Decision
	Started  bool // Execute was called
	Denied   bool // a rule or the operator said no, or nobody could be asked
	// Interrupted is set if the context ended before the call did.
	Interrupted bool
	// Edited is the operator's command where he changed the model's.
	Edited   string
	Duration time.Duration

	pending bool // it goes on, and over is called when it ends
}

// Call plans a tool call and passes it through the gate. It has an answer
// whatever happens: an unknown tool, arguments that do not fit, a denial, a
// panic. The sink gets the call's ApprovalAsked, ApprovalAnswered, CallStarted
// and CallProgress, and a Notice of what a hook says, from any goroutine; nothing after Call has returned. It may
// be nil.
func (g *Gate) Call(ctx context.Context, c Call, sink agent.Sink) Answer {
	tool, ok := g.cfg.Tools.Get(c.Tool)
	if !ok {
		return Answer{Result: slip.Unknown(g.cfg.Tools, c.Tool)}
	}
	env := tools.Env{Call: c.ID, Target: c.Target, Now: g.cfg.Now, Outputs: c.Outputs, Conversation: c.Conversation}
	if c.Seen != nil {
		env.Tainted = func(text string) bool { return !c.Operator && len(c.Seen.Of(text)) > 0 }
	}
	plan := func(ctx context.Context, args json.RawMessage, operator bool) (tools.Action, error) {
		a, err := abandonable(ctx, c.Tool, func() (tools.Action, error) { return tool.Plan(ctx, args, env) })
		if operator {
			a = a.Unclaimed() // what there is of it is not a model's
		}
		return a, err
	}
	a, err := plan(ctx, c.Arguments, c.Operator)
	if err != nil {
		return g.unplanned(ctx, a, err)
	}
	s := Step{
		Action: a, Call: c.ID, Conversation: c.Conversation, Operator: c.Operator, From: c.From,
		Execute: tool.Execute, Outputs: cleanOutputs{c.Outputs, g.Secrets(c.Conversation)}, Seen: c.Seen,
		target: c.Target,
	}
	if many, ok := tool.(tools.Many); ok {
		s.Fold = many.Fold
	}
	if _, ok := commandOf(c.Arguments); ok {
		s.Edit = func(ctx context.Context, command string) (tools.Action, error) {
			args, err := withCommand(c.Arguments, command)
			if err != nil {
				return tools.Action{}, err
			}
			return plan(ctx, args, true)
		}
	}
	return g.Pass(ctx, s, sink)
}

// unplanned is the answer to a call whose plan could not be made.
func (g *Gate) unplanned(ctx context.Context, a tools.Action, err error) Answer {
	var no *tools.Rejection
	switch {
	case errors.As(err, &no):
		return Answer{Action: a, Result: no.Result}
	case ctx.Err() != nil:
		return Answer{Action: a, Result: tools.Failure("interrupted", "not run: "+agent.InterruptedText), Interrupted: true}
	}
	return Answer{Action: a, Result: failure(err), Err: asToolError(err)}
}

// Pass takes an action through decision, record and execution. See Call for
// what the sink gets.
func (g *Gate) Pass(ctx context.Context, s Step, sink agent.Sink) Answer {
	if sink == nil {
		sink = func(agent.Event) {}
	}
	var edited string
	for {
		answer, again := g.pass(ctx, s, sink)
		if edited != "" {
			answer.Edited = edited
		}
		if again == nil {
			return answer
		}
		// An edited command is a new action: planned and decided anew.
		a, err := s.Edit(ctx, *again)
		if err != nil {
			answer = g.unplanned(ctx, a, err)
			answer.Edited = *again
			return answer
		}
		edited = *again
		s.Action, s.Operator = a, true
	}
}

// pass takes one action through; again is the command that the operator wants
// instead.
func (g *Gate) pass(ctx context.Context, s Step, sink agent.Sink) (answer Answer, again *string) {
	answer.Action = s.Action
	acts := s.Action.Kind.Acts()
	must, err := g.secretsOf(s)
	if err != nil {
		answer.Result = tools.Failure("secret", "not run: "+err.Error())
		return answer, nil
	}
	if deny := g.before(ctx, &s); deny != "" {
		answer.Decision = policy.Decision{How: policy.DeniedByHook, Reason: deny}
		return g.denied(ctx, s, answer, nil), nil
	}
	if acts {
		s.unrecorded = g.cfg.Ledger.Healthy()
	}
	d, err := g.decide(ctx, s, must, sink)
	answer.Decision = d
	if d.Action.Wall != confine.None || len(d.Action.Parts) > 0 {
		s.Action, answer.Action = d.Action, d.Action
	}
	if s.unrecorded != nil && (!d.Allowed || d.Asked || !d.Verdict.Auto || must != "" || errors.Is(s.unrecorded, ledger.ErrClosed)) {
		return g.refused(answer, tools.Denied("not run, because it cannot be put on record: %w", s.unrecorded)), nil
	}
	if !d.Allowed {
		if d.Edited != nil && s.Edit != nil && ctx.Err() == nil {
			again = d.Edited
		}
		return g.denied(ctx, s, answer, err), again
	}
	if must != "" && !d.Asked && d.How != policy.ByConversation {
		return g.refused(answer, tools.Denied("not run: the operator was not asked, and %s", must)), nil
	}
	if ctx.Err() != nil {
		answer.Interrupted = true
		answer.Result = tools.Failure("interrupted", "not run: "+agent.InterruptedText)
		return answer, nil
	}
	if err := bound(s, d); err != nil {
		return g.refused(answer, tools.Denied("not run: %w", err)), nil
	}
	if s.unrecorded != nil {
		g.unrecorded(s, d)
		return g.after(ctx, s, g.execute(ctx, s, answer, nil, sink)), nil
	}
	if !acts && (d.Asked || !d.Verdict.Auto || s.Action.Kind == tools.Fetch) && s.Action.Kind != tools.Pure {
		intent := g.intent(s, d)
		// Reading needs no record to happen: what cannot be written now is kept,
		// and the ledger says so by not being healthy.
		_ = g.cfg.Ledger.Note(ledger.Note{Kind: "read", By: intent.By, Proposal: &intent})
	}
	if d.Revert != nil {
		due, err := g.arm(ctx, s, d)
		if err != nil {
			return g.unarmed(s, answer, err), nil
		}
		s.ended = make(chan struct{})
		g.guard(s, d, due)
		defer func() {
			if !answer.pending {
				close(s.ended)
			}
		}()
	}
	var ref *ledger.Ref
	if acts {
		r, err := g.cfg.Ledger.Intend(ctx, g.intent(s, d))
		if err != nil {
			return g.refused(answer, tools.Denied("not run, because it cannot be put on record: %w", err)), nil
		}
		ref = &r
	}
	if must != "" {
		defer g.release(s)()
	}
	return g.after(ctx, s, g.execute(ctx, s, answer, ref, sink)), nil
}

// unrecorded notes that a plain observation runs although nothing that acts may:
// looking goes on when the record cannot be kept as it should. What cannot be
// written now is kept, and the ledger says so by not being healthy.
func (g *Gate) unrecorded(s Step, d policy.Decision) {
	intent := g.intent(s, d)
	_ = g.cfg.Ledger.Note(ledger.Note{Kind: "read", Text: "without an intent: " + s.unrecorded.Error(), By: intent.By, Proposal: &intent})
}

func (g *Gate) decide(ctx context.Context, s Step, must string, sink agent.Sink) (policy.Decision, error) {
	asked := agent.NewSequencer(sink)
	defer asked.Close()
	within, withdraw := context.WithCancel(ctx)
	defer withdraw()
	var asking atomic.Pointer[<-chan hook.Said]
	d, err := abandonable(within, "the policy", func() (policy.Decision, error) {
		return g.cfg.Policy.Decide(within, policy.Proposal{
			Action: s.Action, Conversation: s.Conversation, Call: s.Call, Operator: s.Operator,
			Agent: s.From.Agent, ReadOnly: s.From.ReadOnly, Must: must, Under: s.companion.request(), Preview: s.Preview, Taint: s.tainted(), Named: s.named(),
			Unrecorded: s.unrecorded != nil, Notes: s.notes,
			Asked: func(r policy.Request) {
				asked.Send(agent.ApprovalAsked{Call: s.Call, Request: r})
				said := g.asked(ctx, s, r, asked, withdraw)
				asking.Store(&said)
			},
		})
	})
	if err != nil {
		d.Allowed = false // an error is never an approval
	}
	if said := asking.Load(); said != nil && *said != nil {
		d, err = overruled(within, *said, d, err)
	}
	if d.Asked {
		sink(agent.ApprovalAnswered{Call: s.Call, Approved: d.Allowed, Reason: d.Reason})
	}
	return d, err
}

// refused is the answer where the machinery itself is in the way.
func (g *Gate) refused(answer Answer, err *tools.Error) Answer {
	answer.Err, answer.Result = err, failure(err)
	return answer
}

// denied is the answer to a denial. It is put on record; if that fails, the
// ledger keeps it until it can, and says so by not being healthy.
func (g *Gate) denied(ctx context.Context, s Step, answer Answer, err error) Answer {
	d := answer.Decision
	answer.Denied = true
	var why string
	switch {
	case ctx.Err() != nil:
		answer.Interrupted = true
		why = agent.InterruptedText
		answer.Result = tools.Failure("interrupted", "not run: "+agent.InterruptedText)
	case err != nil:
		why = d.Reason
		if why == "" {
			why = err.Error()
		}
		answer.Err = tools.Denied("not run: %s: %w", why, err)
		answer.Result = tools.Failure("denied", "denied by policy: "+why)
	case d.How == policy.DeniedByHook:
		why = d.Reason
		answer.Result = tools.Failure("denied", "not run: denied by the "+why)
	case d.How == policy.DeniedByRule:
		why = d.Reason
		answer.Result = tools.Failure("denied", "denied by policy: "+why)
	case d.Edited != nil:
		why = "the operator wants this instead: " + *d.Edited
		answer.Result = tools.Failure("denied", "denied by the operator, who wants this instead: "+*d.Edited)
	case d.How == policy.DeniedByChange:
		why = d.Reason
		answer.Result = tools.Failure("changed", "not run: it could not be approved any more, because "+why+". Look with capture-pane, then decide again.")
	default:
		why = d.Reason
		answer.Result = tools.Failure("denied", withReason("denied by the operator", why))
	}
	intent := g.intent(s, d)
	noteErr := g.cfg.Ledger.Note(ledger.Note{Kind: "denied", Text: why, By: intent.By, Proposal: &intent})
	if noteErr != nil && answer.Err == nil {
		answer.Err = tools.Failed("the denial could not be put on record yet: %w", noteErr)
	}
	return answer
}

func withReason(text, why string) string {
	if why == "" {
		return text
	}
	return text + ": " + why
}
