package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/skill"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/screen"
)

func (a *program) skillCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "skill",
		Short: "instructions for certain tasks: list, show, install, remove",
		Long: `A skill is a folder with a file SKILL.md: front matter with name and
description, optional version, tags and tools, and below it how a task is done. They are found
in the folder skills beside the configuration, in ~/.agents/skills and
~/.claude/skills, and in the same folders of the working directory once you allow
that (nod memory allow). A skill is guidance: what it leads to is judged and asked
as always, and its tools narrow what may be called while it is active.`,
	}
	var asJSON, replace, yes bool
	list := &cobra.Command{
		Use: "list", Short: "list the skills, also those that cannot be used", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSkills(cmd.Context(), func(_ *config.Config, c *skill.Catalog) error { return a.listSkills(c, asJSON) })
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	install := &cobra.Command{
		Use:   "install FOLDER|ARCHIVE",
		Short: "install a skill from a folder or an archive (.tar, .tar.gz, .zip)",
		Example: `  nod skill install ./rotate-certificates
  nod skill install rotate-certificates-1.2.0.tar.gz`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return named("skill install", a.installSkill(cmd.Context(), args[0], replace, yes))
		},
	}
	install.Flags().BoolVar(&replace, "replace", false, "in place of one of that name")
	install.Flags().BoolVar(&yes, "yes", false, "do not ask")
	parent.AddCommand(list, install, &cobra.Command{
		Use: "show NAME", Short: "print a skill, and what it asks for", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withSkills(cmd.Context(), func(_ *config.Config, c *skill.Catalog) error {
				s, err := c.Load(args[0])
				if err != nil {
					return fmt.Errorf("skill: %w; nod skill list shows which there are", err)
				}
				return a.Printf("%s\n\n%s\n", screen.CleanLines(s.Describe(s.Files())), screen.CleanLines(s.Body))
			})
		},
	}, &cobra.Command{
		Use: "remove NAME", Short: "remove a skill that was installed", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withSkills(cmd.Context(), func(c *config.Config, _ *skill.Catalog) error {
				if err := skill.Remove(app.SkillsDir(c), args[0]); err != nil {
					return fmt.Errorf("skill: %w", err)
				}
				return a.note("skill removed", args[0])
			})
		},
	})
	return parent
}

// withSkills finds the skills as a console started here would.
func (a *program) withSkills(ctx context.Context, f func(*config.Config, *skill.Catalog) error) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return err
	}
	k := app.NewGuidance(c, a.Getenv, state, nil, a.Warn)
	k.Read(ctx)
	return f(c, k.Catalog())
}

// skillJSON is a skill as "nod skill list --json" prints it.
type skillJSON struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Tags        []string `json:"tags,omitempty"`
	Tools       []string `json:"tools,omitempty"`
	Place       string   `json:"place"`
	Folder      string   `json:"folder"`
	Fault       string   `json:"fault,omitempty"`
}

func (a *program) listSkills(c *skill.Catalog, asJSON bool) error {
	skills := c.All()
	if asJSON {
		all := make([]skillJSON, len(skills))
		for i, s := range skills {
			all[i] = skillJSON{s.Name, s.Version, s.Description, s.Tags, s.Tools, s.Place.Name, s.Dir, s.Fault}
		}
		return printObjects(a.Out, all)
	}
	return printRows(a.Out, skills, func(s skill.Skill) []string {
		return []string{s.Name, s.Version, s.Place.Name, unless(s.Fault, "not used", s.Description)}
	})
}

func (a *program) installSkill(ctx context.Context, from string, replace, yes bool) (err error) {
	c, err := a.config()
	if err != nil {
		return err
	}
	place := app.SkillsDir(c)
	if place == "" {
		return errors.New("there is no folder for the configuration; set HOME or XDG_CONFIG_HOME")
	}
	p, err := skill.Unpack(from, place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return a.install(ctx, installing{
		about:    fmt.Sprintf("%s\n\n%d files, %d bytes", screen.CleanLines(p.Describe(p.Entries)), len(p.Entries), p.Bytes),
		question: "Install it? Models are then offered its instructions.", kind: "skill", id: p.Name + " " + p.Version,
		keep: func() (string, error) {
			s, err := p.Install(replace)
			if errors.Is(err, skill.ErrThere) {
				err = fmt.Errorf("%w; --replace puts this one in its place", err)
			}
			return " in " + s.Dir, err
		},
	}, yes)
}
