package questions

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/ui/decision"
)

// hostKeyText asks whether a host key is the right one.
func hostKeyText(q ssh.HostKeyQuestion) string {
	return fmt.Sprintf("The host key of %s (%s) is not known.\n\n%s %s\n\nCompare it with what the host's owner tells you. "+
		"If you say yes, it is written to %s.\nIs it the right one?", q.Host, q.Address, q.KeyType, q.Fingerprint, q.File)
}

// secretText asks for what a login wants.
func secretText(q ssh.SecretQuestion) string {
	var b strings.Builder
	if q.Try > 1 {
		b.WriteString("That was not right.\n")
	}
	switch q.Kind {
	case ssh.Passphrase:
		fmt.Fprintf(&b, "Passphrase of %s", q.Key)
	case ssh.Password:
		fmt.Fprintf(&b, "Password of %s on %s", q.User, strings.TrimPrefix(q.Host, "ssh:"))
	default:
		if q.Instruction != "" {
			fmt.Fprintf(&b, "%s\n", q.Instruction)
		}
		fmt.Fprintf(&b, "%s", strings.TrimRight(q.Prompt, ": \n"))
	}
	return b.String()
}

// AllowDialog asks for a yes in the console's dialogs.
func AllowDialog(ask func(context.Context, decision.Question) (decision.Answer, error)) Allower {
	return func(ctx context.Context, title, text string) (bool, error) {
		said, err := ask(ctx, decision.Question{Title: title, Text: text})
		return said.Given, err
	}
}

// forTargets says for how many targets a secret is asked.
func forTargets(names []string) string {
	short := make([]string, len(names))
	for i, n := range names {
		short[i] = strings.TrimPrefix(n, "ssh:")
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "For " + short[0] + "."
	}
	return fmt.Sprintf("For %d hosts: %s.", len(names), strings.Join(short, ", "))
}

// LoginDialogs asks in the console's dialogs, once for connections that are made together.
func LoginDialogs(ask func(context.Context, decision.Question) (decision.Answer, error), together *Together) ssh.Asker {
	secret := func(ctx context.Context, q ssh.SecretQuestion, waiting func() []string) (string, error) {
		asked := decision.Question{Kind: decision.Secret, Title: q.Host, Text: secretText(q)}
		switch {
		case q.Echo:
			asked.Kind = decision.Line
		case q.Kind == ssh.Passphrase:
			asked.Title = "passphrase"
			asked.More = func() string { return forTargets(waiting()) }
		}
		said, err := ask(ctx, asked)
		if err == nil && !said.Given {
			err = ssh.ErrNotAnswered
		}
		return said.Text, err
	}
	return ssh.Asker{
		Confirm: func(ctx context.Context, q ssh.HostKeyQuestion) (bool, error) {
			said, err := ask(ctx, decision.Question{Title: "is it the right host?", Text: hostKeyText(q)})
			return said.Given, err
		},
		Secret: func(ctx context.Context, q ssh.SecretQuestion) (string, error) {
			return together.Secret(ctx, q, secret)
		},
	}
}

// ChoiceDialog lets the operator choose in the console's dialogs.
func ChoiceDialog(ask func(context.Context, decision.Question) (decision.Answer, error)) desk.Asker {
	return func(ctx context.Context, text string, options []string) (desk.Choice, error) {
		said, err := ask(ctx, decision.Question{Kind: decision.Choice, Title: "the model asks", Text: text, Options: options, Free: true})
		return desk.Choice{Given: said.Given, Option: said.Option, Own: said.Text}, err
	}
}

// Allower asks the operator for a yes.
type Allower func(ctx context.Context, title, text string) (bool, error)
