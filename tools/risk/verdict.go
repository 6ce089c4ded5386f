package risk

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Effect is the strongest thing an action may do, on any machine it reaches.
//
// The zero value is Unassessed. It is written as "destroy" and is at least as
// strong as every other effect, so that a forgotten assessment is never taken
// for a harmless one.
type Effect uint8

const (
	// Unassessed counts as Destroy.
	Unassessed Effect = iota
	// Observe reads and leaves nothing behind.
	Observe
	// Mutate changes something that is undone in the ordinary course.
	Mutate
	// Destroy loses something that is hard to get back.
	Destroy
)

// String returns "observe", "mutate" or "destroy".
func (e Effect) String() string {
	switch e {
	case Observe:
		return "observe"
	case Mutate:
		return "mutate"
	default:
		return "destroy"
	}
}

// AtLeast reports whether e is as strong as o or stronger. Unassessed is as
// strong as Destroy.
func (e Effect) AtLeast(o Effect) bool { return e.rank() >= o.rank() }

func (e Effect) rank() Effect {
	if e == Unassessed || e > Destroy {
		return Destroy
	}
	return e
}

// MarshalText writes the effect's word.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads one of the three words.
func (e *Effect) UnmarshalText(b []byte) error {
	for _, known := range []Effect{Observe, Mutate, Destroy} {
		if string(b) == known.String() {
			*e = known
			return nil
		}
	}
	return fmt.Errorf("unknown effect %q: want observe, mutate or destroy", b)
}

// Level sums a verdict up in one word. The zero value is written as "high".
type Level uint8

const (
	// Unrated counts as High.
	Unrated Level = iota
	// Low is an observation without a flag.
	Low
	// Medium changes something, shows a secret or uses elevated rights.
	Medium
	// High may lose something, cut the operator off, or cannot be known.
	High
)

// String returns "low", "medium" or "high".
func (l Level) String() string {
	switch l {
	case Low:
		return "low"
	case Medium:
		return "medium"
	default:
		return "high"
	}
}

// AtLeast reports whether l is as high as o or higher. Unrated counts as High.
func (l Level) AtLeast(o Level) bool { return l.rank() >= o.rank() }

func (l Level) rank() Level {
	if l == Unrated || l > High {
		return High
	}
	return l
}

// MarshalText writes the level's word.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads one of the three words.
func (l *Level) UnmarshalText(b []byte) error {
	for _, known := range []Level{Low, Medium, High} {
		if string(b) == known.String() {
			*l = known
			return nil
		}
	}
	return fmt.Errorf("unknown level %q: want low, medium or high", b)
}

// Flags is a set of properties that weigh beside the effect.
type Flags uint8

const (
	// Privesc uses or grants elevated rights.
	Privesc Flags = 1 << iota
	// Secret would print or copy secret material.
	Secret
	// Exfil sends local data elsewhere.
	Exfil
	// Lockout may cut the operator's own way in.
	Lockout
	// Opaque means that what runs cannot be known by reading.
	Opaque
)

// flagWords are in the order of the bits, which is the order in JSON.
var flagWords = [...]string{"privesc", "secret", "exfil", "lockout", "opaque"}

// Has reports whether every flag of o is in f.
func (f Flags) Has(o Flags) bool { return f&o == o }

// Words returns the flags by name, in a fixed order; never nil.
func (f Flags) Words() []string {
	words := []string{}
	for i, w := range flagWords {
		if f&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return words
}

// String joins the names by commas.
func (f Flags) String() string { return strings.Join(f.Words(), ",") }

// ParseFlag returns the flag with this name.
func ParseFlag(word string) (Flags, error) {
	for i, w := range flagWords {
		if w == word {
			return 1 << i, nil
		}
	}
	return 0, fmt.Errorf("unknown flag %q: want one of %s", word, strings.Join(flagWords[:], ", "))
}

// MarshalJSON writes an array of names, [] when empty.
func (f Flags) MarshalJSON() ([]byte, error) { return json.Marshal(f.Words()) }

// UnmarshalJSON reads an array of names.
func (f *Flags) UnmarshalJSON(b []byte) error {
	var words []string
	if err := json.Unmarshal(b, &words); err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	var set Flags
	for _, w := range words {
		one, err := ParseFlag(w)
		if err != nil {
			return err
		}
		set |= one
	}
	*f = set
	return nil
}

// Finding is one reason for a verdict. Start and End are byte offsets into the
// assessed text; Rule is stable and meant for machines, Why is for people: what
// it quotes of the text is rendered as package agent/policy/show does, so that it
// can be printed as it is.
type Finding struct {
	Rule  string `json:"rule"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Why   string `json:"why"`
}

// Verdict is what an action could do. The zero value is not auto, has the
// strongest effect and the highest level.
type Verdict struct {
	Effect   Effect    `json:"effect"`
	Level    Level     `json:"level"`
	Mutation bool      `json:"mutation"`
	Privesc  bool      `json:"privesc"`
	Flags    Flags     `json:"flags"`
	Auto     bool      `json:"auto"`
	Findings []Finding `json:"findings"`
	// Plain is set if only its Reaches keep the action from being Auto: it is
	// Auto where they are the operator's own hosts, which a text cannot say.
	Plain bool `json:"-"`
	// Needs are the doors that a cage around the action must leave open.
	Needs Needs `json:"needs,omitempty"`
	// Unread is set if a part of the action was not understood, and nothing is known
	// that must be asked about: where it can change nothing it may be tried. With
	// Reaches, it also talks to other hosts.
	Unread bool `json:"-"`
	// Costly is set if nothing but what it may cost stands in the way: it may go on
	// without an end or take what others need. Where processor, memory and time are
	// limited it may run like a look.
	Costly bool `json:"costly,omitempty"`
	// InShell is set if a part of the action belongs to the shell that reads it (cd,
	// an assignment, a list of jobs): in a shell of its own it leaves no trace, or
	// shows that shell's state.
	InShell bool `json:"-"`
	// Reaches are the other hosts that the action is known to send bytes to; nil
	// if there are none.
	Reaches []Reach `json:"reaches,omitempty"`

	evident rated // the zero value: all of it
}

// rated is an effect with its flags.
type rated struct {
	effect Effect
	flags  Flags
}

// Evident is the part of the verdict that is known. The rest is the worst that what was
// not understood may do: whoever calls that harmless may know better.
func (v Verdict) Evident() (Effect, Flags, Level) {
	e, f := v.Effect.rank(), v.Flags
	if v.evident.effect != Unassessed {
		e, f = v.evident.effect.rank(), v.evident.flags
	}
	return e, f, levelOf(e, f)
}

// Guess is a verdict of which nothing is known: it may do what e and f say, and that is
// what why says.
func Guess(e Effect, f Flags, rule, why string) Verdict {
	return guess(e, f, Finding{Rule: rule, Why: why})
}

func guess(e Effect, f Flags, found Finding) Verdict {
	v := Of(e, f, found)
	v.evident = rated{effect: Observe}
	return v
}

// Doubted is the verdict where more than it says may happen, for the reason in why: it is
// opaque, and no more of it is evident than before.
func (v Verdict) Doubted(rule, why string) Verdict {
	d := v.With(guess(Observe, Opaque, Finding{Rule: rule, Why: why}))
	v.Effect, v.Flags, v.Level, v.Auto, v.Plain, v.Findings, v.evident = d.Effect, d.Flags, d.Level, false, false, d.Findings, d.evident
	return v
}

// RuleFolder is the rule of a finding about a program that runs whatever the
// configuration in its folder names. Such an action is never Auto: whoever can
// write there decides what runs.
const RuleFolder = "folder.config"

// RuleRedirect is the rule of a finding about a program that goes on to whatever
// host an answer names.
const RuleRedirect = "host.redirect"

// MarshalJSON writes the documented object; a verdict without findings has an
// empty array, and one that was never assessed says so by its strongest words.
func (v Verdict) MarshalJSON() ([]byte, error) {
	type plain Verdict // without this method
	p := plain(v)
	if p.Effect == Unassessed {
		p.Mutation = true
	}
	if p.Findings == nil {
		p.Findings = []Finding{}
	}
	return json.Marshal(p)
}

// levelOf rates an effect with its flags.
func levelOf(e Effect, f Flags) Level {
	switch {
	case e.AtLeast(Destroy), f&(Exfil|Lockout|Opaque) != 0, f.Has(Privesc) && e.AtLeast(Mutate):
		return High
	case e.AtLeast(Mutate), f != 0:
		return Medium
	default:
		return Low
	}
}
