package gate

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent/redact"
	"github.com/nod-console/nod/tools"
)

// Secrets go to neither the model nor the store: what a call answers, what the
// operator writes and what nod notes has placeholders instead. A placeholder in a
// call is turned back by the guard alone (Fill), for one action, after the
// operator has approved the action that names it.

// secretsOf says why an action needs the operator's own approval: it is about to
// have secrets filled in. Empty means that there are none. The error tells the
// model why they cannot be.
func (g *Gate) secretsOf(s Step) (must string, err error) {
	names := redact.Names(textsOf(s.Action)...)
	if len(names) == 0 || s.Conversation == "" {
		return "", nil
	}
	secrets := g.Secrets(s.Conversation)
	if _, err := fillIn(secrets, s.Action); err != nil {
		return "", fmt.Errorf("%w; have the program read it from where it is kept, or ask the operator to enter it himself", err)
	}
	known, _ := secrets.Known(names) // fillIn has found them all
	parts := make([]string, len(known))
	for i, k := range known {
		parts[i] = fmt.Sprintf("%s (%s)", names[i].Text, k.Kind)
	}
	return "the secret that it names is filled in: " + strings.Join(parts, ", "), nil
}

// textsOf are the parts of an action in which secrets are filled in. What reaches no
// target keeps its placeholders.
func textsOf(a tools.Action) []string {
	if a.Kind == tools.Manage || a.Kind == tools.Read || a.Kind == tools.Pure {
		return nil
	}
	return []string{a.Command, string(a.Stdin), a.Literal, string(a.Content)}
}

// fillIn puts secrets into an action. What a program reads as it is may hold any;
// all else must not be taken for more than text by whatever reads it.
func fillIn(v *redact.Vault, a tools.Action) (tools.Action, error) {
	var err error
	put := func(text string, command bool) string {
		if err != nil {
			return text
		}
		var filled string
		filled, err = v.Fill(text, command)
		return filled
	}
	a.Command, a.Literal = put(a.Command, true), put(a.Literal, true)
	a.Stdin, a.Content = []byte(put(string(a.Stdin), true)), []byte(put(string(a.Content), false))
	return a, err
}

// release lets the guard fill in the secrets of an action that was allowed, until
// the function that it returns is called.
func (g *Gate) release(s Step) (withdraw func()) {
	set := func(secrets *redact.Vault) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.released[s.Action.Digest()] = secrets
		for _, part := range s.Action.Parts {
			g.released[part.Digest()] = secrets
		}
	}
	set(g.Secrets(s.Conversation))
	return func() { set(nil) } // what comes too late must not run as it stands
}

// Fill completes an action for the target: see guard.Guard.Fill. One that has no
// secrets of the conversation is left as it is; one whose execution the gate does
// not wait for any more is an error.
func (g *Gate) Fill(a tools.Action) (tools.Action, error) {
	if len(redact.Names(textsOf(a)...)) == 0 {
		return a, nil
	}
	g.mu.Lock()
	secrets, named := g.released[a.Digest()]
	g.mu.Unlock()
	switch {
	case !named:
		return a, nil
	case secrets == nil:
		return a, tools.Denied("not run: the secrets that it names can not be filled in any more")
	}
	return fillIn(secrets, a)
}

// cleanOutputs keeps outputs without their secrets.
type cleanOutputs struct {
	tools.Outputs
	secrets *redact.Vault
}

// Keep implements tools.Outputs.
func (o cleanOutputs) Keep(ctx context.Context, call, stream, text string) (string, error) {
	return o.Outputs.Keep(ctx, call, stream, o.secrets.Text(text))
}
