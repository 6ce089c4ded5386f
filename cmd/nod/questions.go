package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/ui/question"
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

// allowIn asks for a yes in the console's dialogs.
func allowIn(ask func(context.Context, question.Question) (question.Answer, error)) allower {
	return func(ctx context.Context, title, text string) (bool, error) {
		said, err := ask(ctx, question.Question{Title: title, Text: text})
		return said.Given, err
	}
}

// questionsOn asks in the console's dialogs.
func questionsOn(ask func(context.Context, question.Question) (question.Answer, error)) ssh.Asker {
	return ssh.Asker{
		Confirm: func(ctx context.Context, q ssh.HostKeyQuestion) (bool, error) {
			said, err := ask(ctx, question.Question{Title: "is it the right host?", Text: hostKeyText(q)})
			return said.Given, err
		},
		Secret: func(ctx context.Context, q ssh.SecretQuestion) (string, error) {
			kind := question.Secret
			if q.Echo {
				kind = question.Line
			}
			said, err := ask(ctx, question.Question{Kind: kind, Title: q.Host, Text: secretText(q)})
			if err == nil && !said.Given {
				err = ssh.ErrNotAnswered
			}
			return said.Text, err
		},
	}
}
