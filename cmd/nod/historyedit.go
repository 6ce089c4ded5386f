package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/screen"
)

// hitJSON is a message that was found, as "nod history search --json" prints it.
type hitJSON struct {
	Conversation string    `json:"conversation"`
	Title        string    `json:"title"`
	Message      int       `json:"message"`
	Role         string    `json:"role"`
	Time         time.Time `json:"time"`
	Excerpt      string    `json:"excerpt"`
}

func (a *program) historySearchCommand() *cobra.Command {
	var asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:   "search WORD...",
		Short: "find messages that hold every word, the latest first",
		Long: `search finds what you and the model said, commands, and what came of them. A
word is found where one begins with it; one with signs in it, such as /var/log or
10.0.0.7, as it stands. If nothing has them all, the text is looked for as it is,
also within words.`,
		Example: `  nod history search nginx 502
  nod history search --json "systemctl restart" | jq -r .conversation`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withHistory(cmd, func(s *history.Store) error {
				hits, err := s.Search(cmd.Context(), strings.Join(args, " "), limit)
				if err != nil {
					return fmt.Errorf("history: %w", err)
				}
				return a.printHits(hits, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	cmd.Flags().IntVarP(&limit, "limit", "n", 50, "how many at most; 0 means all")
	return cmd
}

func (a *program) printHits(hits []history.Hit, asJSON bool) error {
	enc := json.NewEncoder(a.Out)
	for _, h := range hits {
		var err error
		if asJSON {
			err = enc.Encode(hitJSON{h.Conversation, h.Title, h.Place, string(h.Role), h.Time, h.Excerpt})
		} else {
			err = a.Printf("%s  %s  %s #%d %s\n    %s\n", h.Conversation, h.Time.Local().Format("2006-01-02 15:04"),
				screen.CleanLines(h.Title), h.Place, h.Role, screen.CleanLines(h.Excerpt))
		}
		if err != nil {
			return err
		}
	}
	if len(hits) == 0 && !asJSON {
		a.Complain("nothing was found")
	}
	return nil
}

func (a *program) historyForkCommand() *cobra.Command {
	var at int
	cmd := &cobra.Command{
		Use:   "fork ID",
		Short: "begin a conversation with what was said in another one",
		Long: `fork copies a conversation up to a message and prints the ID of the copy. The
other one stays as it is. Calls and their results stay together.`,
		Example: `  nod --resume=$(nod history fork --at 12 k3f9c2m7q1xa)`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withWritableHistory(cmd.Context(), func(s *history.Store) error {
				c, said, err := s.Fork(cmd.Context(), args[0], at)
				if err == nil {
					err = s.End(cmd.Context(), c.ID)
				}
				if err != nil {
					return fmt.Errorf("history: fork %q: %w; nod history list shows which there are", args[0], err)
				}
				a.Complain("%d messages; nod --resume=%s goes on with it", len(said), c.ID)
				return a.Printf("%s\n", c.ID)
			})
		},
	}
	cmd.Flags().IntVar(&at, "at", 0, "up to this message (nod history show numbers them); 0 means all")
	return cmd
}

func (a *program) historyExportCommand() *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "write a conversation as Markdown or JSON lines",
		Example: `  nod history export k3f9c2m7q1xa > incident.md
  nod history export --format jsonl -o incident.jsonl k3f9c2m7q1xa`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write := map[string]func(io.Writer, history.Conversation, []history.Message) error{
				"markdown": history.ExportMarkdown, "jsonl": history.ExportJSON,
			}[format]
			if write == nil {
				return fmt.Errorf("history export: unknown format %q: want markdown or jsonl", format)
			}
			return a.withHistory(cmd, func(s *history.Store) error {
				c, err := s.Get(cmd.Context(), args[0])
				if err != nil {
					return fmt.Errorf("history: conversation %q: %w; nod history list shows which there are", args[0], err)
				}
				said, err := s.Load(cmd.Context(), args[0])
				if err != nil {
					return fmt.Errorf("history: %w", err)
				}
				return a.writeTo(output, func(w io.Writer) error { return write(w, c, said) })
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "markdown", "markdown or jsonl")
	cmd.Flags().StringVarP(&output, "output", "o", "", "a new file; standard output if there is none")
	return cmd
}

// writeTo writes to a file that must not be there yet, or to standard output.
func (a *program) writeTo(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		w := bufio.NewWriter(a.Out)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("history export: %w", err)
	}
	return errors.Join(write(f), f.Close())
}

func (a *program) historyDeleteCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:     "delete ID...",
		Short:   "delete conversations for good, and what was learned from them",
		Example: `  nod history delete k3f9c2m7q1xa`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withWritableHistory(cmd.Context(), func(s *history.Store) error {
				for _, id := range args {
					if err := a.deleteConversation(cmd.Context(), s, id, yes); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (a *program) deleteConversation(ctx context.Context, s *history.Store, id string, yes bool) error {
	c, err := s.Get(ctx, id)
	if err != nil {
		return fmt.Errorf("history: conversation %q: %w; nod history list shows which there are", id, err)
	}
	if !yes {
		if yes, err = a.sure(ctx, fmt.Sprintf("Delete %s, %q, %d messages, with its sub-agents' conversations, for good?", id, c.Title, c.Messages)); err != nil {
			return fmt.Errorf("history delete: %w", err)
		}
		if !yes {
			a.Complain("%s stays", id)
			return process.ExitStatus(process.StatusDenied)
		}
	}
	if err := a.note("conversation deleted", id); err != nil {
		return fmt.Errorf("history delete: not done, because it cannot be put on record: %w", err)
	}
	if err := s.Delete(ctx, id); err != nil {
		return fmt.Errorf("history: delete %q: %w", id, err)
	}
	return nil
}

// withWritableHistory opens the store for writing, if there is one.
func (a *program) withWritableHistory(ctx context.Context, f func(*history.Store) error) (err error) {
	state, err := config.StateDir(a.Getenv)
	if err != nil {
		return err
	}
	dir := config.HistoryDir(state)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("history: there are no conversations in %s yet; start one with nod or nod ask", state)
	}
	s, err := history.Open(ctx, dir, history.Options{})
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return f(s)
}
