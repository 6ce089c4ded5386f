package risk

import "strings"

// Manage assesses the making or ending of nod's own sessions and panes: a verb
// and names, such as "kill-pane main worker".
//
// Making one is an observation: it is a shell of nod's own that waits, bounded
// in number and ended with nod, and nothing else on the target is different.
// Ending one ends what runs in it, as kill does. A verb that is not known is
// opaque.
func Manage(command string) Verdict {
	verb, _, _ := strings.Cut(command, " ")
	v := Verdict{Findings: []Finding{{Rule: verb, End: len(verb)}}}
	why := &v.Findings[0].Why
	switch verb {
	case "create-session", "create-pane":
		v.Effect, v.Auto, v.Plain = Observe, true, true
		*why = "opens a shell of nod's own, in which nothing runs yet"
	case "kill-session":
		v.Effect = Mutate
		*why = "ends a session of nod's, its panes and what runs in them"
	case "kill-pane":
		v.Effect = Mutate
		*why = "ends a pane of nod's and what runs in it"
	default:
		v.Effect, v.Flags = Destroy, Opaque
		v.Findings[0].Rule = "manage.unknown"
		*why = "is not known"
	}
	v.Mutation = v.Effect.AtLeast(Mutate)
	v.Level = levelOf(v.Effect, v.Flags)
	return v
}
