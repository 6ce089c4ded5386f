package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/cmd/nod/internal/app/rulecheck"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/screen"
)

// maxLine bounds a line of "nod risk --jsonl", in bytes.
const maxLine = 1 << 20

func (a *program) riskCommand() *cobra.Command {
	var shell string
	var asJSON, asLines bool
	cage := rulecheck.HereCage
	cmd := &cobra.Command{
		Use:   "risk COMMAND",
		Short: "say what a command could do, without running it",
		Long: `risk reads a command as a shell would and says what it could do at worst. It
never runs anything. COMMAND "-" reads standard input.

With --json, "runs" says how nod would run it on this machine, in the posture ask and
without rules of yours: "free", because reading it proves that it only looks; "held",
unasked where the kernel lets it change nothing; "asks"; or "denied". --cage says it for
another wall than this machine's: L Landlock, S system calls, none.`,
		Example: `  nod risk 'rm -rf /srv/app/releases/2024*'
  nod risk --json --shell sh - <deploy.sh
  nod risk --jsonl <commands.jsonl     one {"cmd":"…"} a line`,
		RunE: func(_ *cobra.Command, args []string) error {
			dialect, err := risk.ParseDialect(shell)
			if err != nil {
				return fmt.Errorf("risk: %w", err)
			}
			judge, err := rulecheck.Judge(cage, a.Getenv("HOME"), dialect)
			if err != nil {
				return err
			}
			if asLines {
				return a.riskLines(judge)
			}
			if len(args) == 0 {
				return fmt.Errorf("risk: no command given; quote it: nod risk 'df -h'")
			}
			text := strings.Join(args, " ")
			if text == "-" {
				data, err := io.ReadAll(a.In)
				if err != nil {
					return fmt.Errorf("risk: %w", err)
				}
				text = string(data)
			}
			j := judge(text)
			if asJSON {
				return show.WriteJSON(a.Out, j)
			}
			return a.Printf("%s\n", screen.CleanLines(risk.Explain(j.Verdict, text)))
		},
	}
	cmd.Flags().StringVar(&shell, "shell", "bash", "bash, sh, zsh or fish")
	cmd.Flags().StringVar(&cage, "cage", cage, "what holds commands: L, S, M, none, or here")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the verdict as one JSON object")
	cmd.Flags().BoolVar(&asLines, "jsonl", false, `read lines {"cmd":"…"}, print a verdict for each`)
	return cmd
}

func (a *program) riskLines(judge func(string) rulecheck.Judged) error {
	in := bufio.NewScanner(a.In)
	in.Buffer(nil, maxLine)
	out := bufio.NewWriter(a.Out)
	for n := 1; in.Scan(); n++ {
		var line struct {
			Cmd *string `json:"cmd"`
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			return fmt.Errorf("risk: line %d: %w", n, err)
		}
		if line.Cmd == nil {
			return fmt.Errorf(`risk: line %d: no "cmd" in %q`, n, in.Text())
		}
		if err := show.WriteJSON(out, judge(*line.Cmd)); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("risk: %w", err)
	}
	return out.Flush()
}
