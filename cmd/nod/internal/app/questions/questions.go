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

// LoginDialogs asks in the console's dialogs.
func LoginDialogs(ask func(context.Context, decision.Question) (decision.Answer, error)) ssh.Asker {
	return ssh.Asker{
		Confirm: func(ctx context.Context, q ssh.HostKeyQuestion) (bool, error) {
			said, err := ask(ctx, decision.Question{Title: "is it the right host?", Text: hostKeyText(q)})
			return said.Given, err
		},
		Secret: func(ctx context.Context, q ssh.SecretQuestion) (string, error) {
			kind := decision.Secret
			if q.Echo {
				kind = decision.Line
			}
			said, err := ask(ctx, decision.Question{Kind: kind, Title: q.Host, Text: secretText(q)})
			if err == nil && !said.Given {
				err = ssh.ErrNotAnswered
			}
			return said.Text, err
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
