package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/screen"
)

// conversationJSON is a conversation as "nod history list --json" prints it.
type conversationJSON struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Target   string    `json:"target"`
	Model    string    `json:"model"`
	Updated  time.Time `json:"updated"`
	Open     bool      `json:"open"`
	Messages int       `json:"messages"`
	// Parent is what it was forked from, or the one that sent the sub-agent Agent.
	Parent string `json:"parent,omitempty"`
	Agent  string `json:"agent,omitempty"`
}

func (a *program) historyCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "history",
		Short: "list, search, read, fork, export and delete conversations",
		Long: `Conversations are kept in the folder history of nod's state, without their
secrets. Deleting one takes it out of the index, the copies that migrations made,
and what was learned from it; the record of what ran (nod audit) stays.`,
	}
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
	}, a.historySearchCommand(), a.historyForkCommand(), a.historyExportCommand(), a.historyDeleteCommand())
	return parent
}

// withHistory opens the store for reading.
func (a *program) withHistory(cmd *cobra.Command, f func(*history.Store) error) error {
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return err
	}
	s, err := history.Open(cmd.Context(), config.HistoryDir(state), history.Options{ReadOnly: true})
	if old := (*history.Error)(nil); errors.As(err, &old) && old.Problem == history.Older {
		// Bring it up to date, as the console would.
		if s, err = history.Open(cmd.Context(), config.HistoryDir(state), history.Options{}); err == nil {
			if err = s.Close(); err == nil {
				s, err = history.Open(cmd.Context(), config.HistoryDir(state), history.Options{ReadOnly: true})
			}
		}
	}
	if errors.Is(err, history.ErrNone) {
		return fmt.Errorf("history: there are no conversations in %s yet; start one with nod or nod ask", state)
	}
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	defer s.Close() //nolint:errcheck // opened for reading only
	return f(s)
}

func (a *program) listHistory(cmd *cobra.Command, s *history.Store, asJSON bool) error {
	all, err := s.List(cmd.Context(), 0)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	all = nested(all)
	if asJSON {
		objects := make([]conversationJSON, len(all))
		for i, c := range all {
			objects[i] = conversationJSON{c.ID, c.Title, c.Target, c.Model, c.Updated, c.Open, c.Messages, c.Parent, c.Agent}
		}
		return printObjects(a.Out, objects)
	}
	return printRows(a.Out, all, func(c history.Conversation) []string {
		title := c.Title
		if c.Agent != "" {
			title = "└ " + c.Agent + ": " + title
		}
		return []string{c.ID, c.Updated.Local().Format("2006-01-02 15:04"), c.Target, fmt.Sprintf("%d messages", c.Messages), title}
	})
}

// nested are conversations with those of sub-agents behind the ones that sent them,
// the first that was sent first. One whose parent is not among them stays where it is.
func nested(all []history.Conversation) []history.Conversation {
	there := map[string]bool{}
	below := map[string][]history.Conversation{}
	for _, c := range all {
		there[c.ID] = true
	}
	for _, c := range slices.Backward(all) {
		if c.Agent != "" && there[c.Parent] {
			below[c.Parent] = append(below[c.Parent], c)
		}
	}
	var out []history.Conversation
	for _, c := range all {
		if c.Agent != "" && there[c.Parent] {
			continue
		}
		out = append(append(out, c), below[c.ID]...)
	}
	return out
}

func (a *program) showConversation(cmd *cobra.Command, s *history.Store, id string) error {
	messages, err := s.Load(cmd.Context(), id)
	if err != nil {
		return fmt.Errorf("history: conversation %q: %w; nod history list shows which there are", id, err)
	}
	for _, m := range messages {
		if err := a.Printf("%s  #%d %s\n", m.Time.Local().Format("15:04:05"), m.Place, m.Role); err != nil {
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
func (a *program) printLines(text string) error {
	for line := range strings.Lines(screen.CleanLines(text)) {
		if err := a.Printf("          %s\n", strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
	return nil
}
