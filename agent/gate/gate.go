package gate

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/redact"
	"github.com/nod-console/nod/agent/slip"
	"github.com/nod-console/nod/agent/taint"
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
	acts       bool          // what was planned is not only a look
	must       string        // why the operator has to approve it: see secretsOf
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
	if name := editedOf(c.Arguments); name != "" {
		s.Edit = func(ctx context.Context, command string) (tools.Action, error) {
			args, err := with(c.Arguments, name, command)
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
