// Package shellcompletion finds what a word on nod's command line could become: targets,
// containers, conversations, runs, recordings, patterns, skills and models.
//
// [Candidates] has a [Finder] for each kind. [Only] and [OrFiles] make one of cobra's
// functions of it, and [Flags] gives flags theirs. Nothing that is written down is changed,
// and what is said about a candidate cannot mean anything to a shell.
package shellcompletion

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Finder finds what a word could become; an error means that it is not known.
type Finder func(ctx context.Context, word string) ([]cobra.Completion, error)

// Flags has cobra complete the flags of a name, or of a name at one
// command, at all commands below parent.
func Flags(parent *cobra.Command, by map[string]cobra.CompletionFunc) {
	parent.LocalFlags().VisitAll(func(f *pflag.Flag) {
		do := by[parent.CommandPath()+" --"+f.Name]
		if do == nil {
			do = by[f.Name]
		}
		if do == nil {
			return
		}
		if err := parent.RegisterFlagCompletionFunc(f.Name, do); err != nil {
			panic(err) // registered twice; a test builds the commands
		}
	})
	for _, c := range parent.Commands() {
		Flags(c, by)
	}
}

// Words offers words.
func Words(all ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

// Only offers what find finds. What was named already is not offered again.
func Only(find Finder) cobra.CompletionFunc {
	return completing(find, cobra.ShellCompDirectiveNoFileComp)
}

// OrFiles offers what find finds, and files where that is nothing.
func OrFiles(find Finder) cobra.CompletionFunc {
	return completing(find, cobra.ShellCompDirectiveDefault)
}

func completing(find Finder, also cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = cmd.Root().Context()
		}
		all, err := find(ctx, word)
		if err != nil {
			cobra.CompErrorln(err.Error())
		}
		var fit []cobra.Completion
		for _, c := range all {
			name, _, _ := strings.Cut(c, "\t")
			if strings.HasPrefix(name, word) && !strings.ContainsAny(name, special+" ") && !slices.Contains(args, name) && !slices.Contains(fit, c) {
				fit = append(fit, c)
			}
		}
		return fit, also | cobra.ShellCompDirectiveKeepOrder
	}
}

// mostAbout is how long what is said about a candidate is, in characters.
const mostAbout = 60

// special are characters that mean something to shells.
const special = "`$\\\"'<>&|;*?[]{}()~!#"

// described is a candidate with what is said about it. That is foreign text, and
// shells expand what they are given: only what means nothing to them is left.
func described(name, about string) cobra.Completion {
	about = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) || strings.ContainsRune(special, r) {
			return ' '
		}
		return r
	}, about)
	about = strings.Join(strings.Fields(about), " ")
	if short := []rune(about); len(short) > mostAbout {
		about = string(short[:mostAbout-1]) + "…"
	}
	return cobra.CompletionWithDesc(name, about)
}
