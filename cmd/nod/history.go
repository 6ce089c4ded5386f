package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

func historyDir(state string) string { return filepath.Join(state, "history") }

// conversationJSON is a conversation as "nod history list --json" prints it.
type conversationJSON struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Target   string    `json:"target"`
	Model    string    `json:"model"`
	Updated  time.Time `json:"updated"`
	Open     bool      `json:"open"`
	Messages int       `json:"messages"`
}

func (a *app) historyCommand() *cobra.Command {
	parent := &cobra.Command{Use: "history", Short: "list and read conversations"}
	var asJSON bool
	list := &cobra.Command{
		Use:   "list",
		Short: "list the conversations, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withHistory(cmd, func(s *history.Store) error { return a.listHistory(cmd, s, asJSON) })
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	parent.AddCommand(list, &cobra.Command{
		Use:   "show ID",
		Short: "print a conversation",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("history show: want the ID of one conversation; nod history list shows which there are")
			}
			return a.withHistory(cmd, func(s *history.Store) error { return a.showConversation(cmd, s, args[0]) })
		},
	})
	return parent
}

// withHistory opens the store for reading.
func (a *app) withHistory(cmd *cobra.Command, f func(*history.Store) error) error {
	state, err := config.StatePath(a.getenv)
	if err != nil {
		return err
	}
	s, err := history.Open(cmd.Context(), historyDir(state), history.Options{ReadOnly: true})
	if errors.Is(err, history.ErrNone) {
		return fmt.Errorf("history: there are no conversations in %s yet; start one with nod or nod ask", state)
	}
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	defer s.Close() //nolint:errcheck // opened for reading only
	return f(s)
}

func (a *app) listHistory(cmd *cobra.Command, s *history.Store, asJSON bool) error {
	all, err := s.List(cmd.Context(), 0)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	if asJSON {
		enc := json.NewEncoder(a.out)
		for _, c := range all {
			if err := enc.Encode(conversationJSON{c.ID, c.Title, c.Target, c.Model, c.Updated, c.Open, c.Messages}); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, c := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d messages\t%s\n",
			c.ID, c.Updated.Local().Format("2006-01-02 15:04"), c.Target, c.Messages, printable(c.Title))
	}
	return w.Flush()
}

func (a *app) showConversation(cmd *cobra.Command, s *history.Store, id string) error {
	messages, err := s.Load(cmd.Context(), id)
	if err != nil {
		return fmt.Errorf("history: conversation %q: %w; nod history list shows which there are", id, err)
	}
	for _, m := range messages {
		if err := a.printf("%s  %s\n", m.Time.Local().Format("15:04:05"), m.Role); err != nil {
			return err
		}
		if err := a.printLines(m.Content); err != nil {
			return err
		}
		for _, c := range m.Calls {
			if err := a.printLines(c.Name + " " + c.Arguments); err != nil {
				return err
			}
		}
	}
	return nil
}

// printLines prints foreign text indented.
func (a *app) printLines(text string) error {
	for line := range strings.Lines(printable(text)) {
		if err := a.printf("          %s\n", strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
	return nil
}
