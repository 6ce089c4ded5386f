package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/memory"
	"github.com/nod-console/nod/agent/runbook"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/screen"
)

func (a *program) memoryCommand() *cobra.Command {
	var target string
	parent := &cobra.Command{
		Use:   "memory",
		Short: "what is remembered and learned: list, show, strike, edit",
		Long: `What the model is told of earlier turns: entries in Markdown files that you can
edit, for everywhere and for each target or workspace; episodes, a line for each
turn; and patterns, what was done in three turns or more. "memory allow" lets
the model read what a working folder says (AGENTS.md, RUNBOOK.md, skills).`,
	}
	parent.PersistentFlags().StringVarP(&target, "target", "t", local.Name, "whose project file; local is the workspace around this folder")
	var asJSON, struck bool
	list := &cobra.Command{
		Use: "list", Short: "list entries and patterns", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withMemory(cmd, func(s *history.Store, m *memory.Memory) error {
				return a.listMemory(cmd.Context(), s, m, target, struck, asJSON)
			})
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	list.Flags().BoolVar(&struck, "struck", false, "patterns that were struck as well")
	var limit int
	episodes := &cobra.Command{
		Use: "episodes [WORD...]", Short: "list what turns came to", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMemory(cmd, func(s *history.Store, _ *memory.Memory) error {
				return a.listEpisodes(cmd.Context(), s, args, limit)
			})
		},
	}
	episodes.Flags().IntVarP(&limit, "limit", "n", 20, "how many at most")
	var undo bool
	strike := &cobra.Command{
		Use: "strike ID...", Short: "make patterns no longer count", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.strike(cmd.Context(), args, undo) },
	}
	strike.Flags().BoolVar(&undo, "undo", false, "let them count again")
	parent.AddCommand(list, episodes, strike, &cobra.Command{
		Use: "show ID", Short: "show a pattern and the turns that it comes from, or an entry", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMemory(cmd, func(s *history.Store, m *memory.Memory) error {
				return a.showMemory(cmd.Context(), s, m, target, args[0])
			})
		},
	}, &cobra.Command{
		Use: "edit [global|project]", Short: "edit a file of entries in your editor", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.editMemory(cmd, target, args)
		},
	}, &cobra.Command{
		Use: "path [global|project]", Short: "print where a file of entries is", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMemory(cmd, func(_ *history.Store, m *memory.Memory) error {
				scope, err := fileScope(args)
				if err != nil {
					return err
				}
				return a.Printf("%s\n", m.Path(scope, target))
			})
		},
	}, a.allowCommand("allow", "let the model read what a folder says, as it is now", true),
		a.allowCommand("refuse", "do not let the model read what a folder says", false))
	return parent
}

// withMemory opens store and memory; an empty store is made if there is none. Where
// the state cannot be written now, they are there for reading.
func (a *program) withMemory(cmd *cobra.Command, f func(*history.Store, *memory.Memory) error) (err error) {
	c, err := a.config()
	if err != nil {
		return err
	}
	state, barred, err := config.StateDirAnyway(a.Getenv)
	if err != nil {
		return err
	}
	s, err := history.Open(cmd.Context(), config.HistoryDir(state), history.Options{ReadOnly: barred != nil})
	if err != nil {
		return fmt.Errorf("memory: %w", errors.Join(err, barred))
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	keeper, err := app.OpenSecrets(c)
	if err != nil {
		return err
	}
	m, err := memory.Open(config.MemoryDir(state), s, memory.Options{Workspace: app.Workspace(a.Getenv), Secret: app.LooksSecret(keeper)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return f(s, m)
}

func fileScope(args []string) (memory.Scope, error) {
	if len(args) == 0 {
		return memory.Global, nil
	}
	scope, err := memory.ParseScope(args[0])
	if err == nil && scope == memory.Conversation {
		err = errors.New("what a conversation remembers is in no file")
	}
	return scope, err
}

// knownJSON is an entry or a pattern as "nod memory list --json" prints it.
type knownJSON struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"` // "global", "project", "pattern"
	Text    string `json:"text"`
	Origin  string `json:"origin,omitempty"`
	Source  string `json:"source,omitempty"`
	Turns   int    `json:"turns,omitempty"`
	Tainted bool   `json:"from_output"`
	Struck  bool   `json:"struck,omitempty"`
}

func (a *program) listMemory(ctx context.Context, s *history.Store, m *memory.Memory, target string, struck, asJSON bool) error {
	var all []knownJSON
	for _, scope := range []memory.Scope{memory.Global, memory.Project} {
		found, err := m.Entries(scope, target)
		if err != nil {
			return err
		}
		for _, e := range found {
			all = append(all, knownJSON{
				ID: e.ID, Kind: string(scope), Text: e.Text, Origin: string(e.Origin), Source: e.Source, Tainted: e.Origin == memory.Output,
			})
		}
	}
	patterns, err := s.Patterns(ctx, "", struck)
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	for _, p := range patterns {
		all = append(all, knownJSON{
			ID: p.ID, Kind: "pattern", Text: p.Step.Target + ": " + p.Step.Tool + " " + p.Step.Action,
			Turns: p.Turns, Tainted: p.Step.Tainted, Struck: p.Struck,
		})
	}
	if asJSON {
		return printObjects(a.Out, all)
	}
	return printRows(a.Out, all, func(k knownJSON) []string {
		about := k.Origin
		if k.Kind == "pattern" {
			about = fmt.Sprintf("%d turns", k.Turns)
		}
		if k.Tainted && k.Kind == "pattern" {
			about += ", from output"
		}
		if k.Struck {
			about += ", struck"
		}
		return []string{k.ID, k.Kind, about, k.Text}
	})
}

func (a *program) listEpisodes(ctx context.Context, s *history.Store, words []string, limit int) error {
	all, err := s.Episodes(ctx, strings.Join(words, " "), "", limit)
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	for _, e := range all {
		if err := a.Printf("%s #%d  %s (%s)\n", e.Conversation, e.Place, screen.CleanLines(memory.Summary(e)), e.Ending); err != nil {
			return err
		}
	}
	return nil
}

func (a *program) showMemory(ctx context.Context, s *history.Store, m *memory.Memory, target, id string) error {
	for _, scope := range []memory.Scope{memory.Global, memory.Project} {
		found, err := m.Entries(scope, target)
		if err != nil {
			return err
		}
		for _, e := range found {
			if e.ID == id {
				source := e.Source
				if source == "" {
					source = "no source: it counts as yours"
				}
				return a.Printf("%s\n\n  %s, %s\n  %s\n", screen.CleanLines(e.Text), e.Origin, screen.CleanLines(source), m.Path(scope, target))
			}
		}
	}
	p, err := s.Pattern(ctx, id)
	if err != nil {
		return fmt.Errorf("memory: %w; nod memory list shows what there is", err)
	}
	state := ""
	if p.Struck {
		state = ", struck"
	}
	if p.Step.Tainted {
		state += ", with parts of what a target had printed"
	}
	if err := a.Printf("%s %s\n  on %s, in %d turns%s\n", p.Step.Tool, screen.CleanLines(p.Step.Action), p.Step.Target, p.Turns, state); err != nil {
		return err
	}
	for _, from := range p.Sources {
		if err := a.Printf("  %s  conversation %s, message %d: %s\n", from.Time.Local().Format("2006-01-02 15:04"),
			from.Conversation, from.Place, screen.CleanLines(from.Outcome)); err != nil {
			return err
		}
	}
	return nil
}

func (a *program) strike(ctx context.Context, ids []string, undo bool) error {
	return a.withWritableHistory(ctx, func(s *history.Store) error {
		for _, id := range ids {
			p, err := s.Strike(ctx, id, undo)
			if err != nil {
				return fmt.Errorf("memory: %w; nod memory list --struck shows what there is", err)
			}
			word := "struck"
			if undo {
				word = "counts again"
			}
			if err := a.Printf("%s: %s %s\n", word, p.Step.Tool, screen.CleanLines(p.Step.Action)); err != nil {
				return err
			}
		}
		return nil
	})
}

// editMemory edits a file of entries. What another nod has written meanwhile is
// not lost: the edit is refused then, and kept beside it.
func (a *program) editMemory(cmd *cobra.Command, target string, args []string) error {
	scope, err := fileScope(args)
	if err != nil {
		return err
	}
	if !a.OnTerminal() {
		return errors.New("memory edit: standard input and output must be a terminal; nod memory path prints where the file is")
	}
	return a.withMemory(cmd, func(_ *history.Store, m *memory.Memory) error {
		path := m.Path(scope, target)
		old, err := os.ReadFile(path)
		expect := backends.Version{}
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return fmt.Errorf("memory: %w", err)
		default:
			expect = backends.VersionOf(old)
		}
		text, err := a.Edit(cmd.Context(), string(old))
		if err != nil {
			return fmt.Errorf("memory: %w", err)
		}
		if text != "" && text[len(text)-1] != '\n' {
			text += "\n"
		}
		if text == string(old) {
			return nil
		}
		if err := m.Write(path, expect, []byte(text)); err != nil {
			mine := path + ".edited"
			return errors.Join(fmt.Errorf("%w; your text is in %s", err, mine), os.WriteFile(mine, []byte(text), 0o600))
		}
		return nil
	})
}

func (a *program) allowCommand(word, short string, allowed bool) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: word + " [FOLDER]", Short: short, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := app.Workspace(a.Getenv)
			if len(args) > 0 {
				dir = args[0]
			}
			return named("memory "+word, a.allowFolder(cmd.Context(), dir, allowed, yes))
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (a *program) allowFolder(ctx context.Context, dir string, allowed, yes bool) error {
	dir, err := app.Absolute(dir)
	if err != nil {
		return err
	}
	f, err := runbook.Look(dir)
	if err != nil {
		return err
	}
	if f.Empty() {
		return fmt.Errorf("%s says nothing: there is neither AGENTS.md nor RUNBOOK.md nor a skill", dir)
	}
	if err := a.Printf("%s\n", screen.CleanLines(f.Describe())); err != nil {
		return err
	}
	if allowed && !yes {
		if yes, err = a.sure(ctx, "May the model read this, as data?"); err != nil {
			return err
		}
		if !yes {
			return process.ExitStatus(process.StatusDenied)
		}
	}
	state, err := config.StateDir(a.Getenv)
	if err != nil {
		return err
	}
	return runbook.Open(config.ConsentsFile(state)).Set(f, allowed, time.Now())
}
