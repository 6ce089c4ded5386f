package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/tools/risk"
)

// maxLine bounds a line of "nod risk --jsonl", in bytes.
const maxLine = 1 << 20

func (a *app) riskCommand() *cobra.Command {
	var shell string
	var asJSON, asLines bool
	cmd := &cobra.Command{
		Use:   "risk COMMAND",
		Short: "say what a command could do, without running it",
		Long: `risk reads a command as a shell would and says what it could do at worst. It
never runs anything. COMMAND "-" reads standard input.`,
		Example: `  nod risk 'rm -rf /srv/app/releases/2024*'
  nod risk --json --shell sh - <deploy.sh
  nod risk --jsonl <commands.jsonl     one {"cmd":"…"} a line`,
		RunE: func(_ *cobra.Command, args []string) error {
			dialect, err := risk.ParseDialect(shell)
			if err != nil {
				return fmt.Errorf("risk: %w", err)
			}
			if asLines {
				return a.riskLines(dialect)
			}
			if len(args) == 0 {
				return fmt.Errorf("risk: no command given; quote it: nod risk 'df -h'")
			}
			text := strings.Join(args, " ")
			if text == "-" {
				data, err := io.ReadAll(a.in)
				if err != nil {
					return fmt.Errorf("risk: %w", err)
				}
				text = string(data)
			}
			v := risk.Command(text, dialect)
			if asJSON {
				return writeJSON(a.out, v)
			}
			return a.printf("%s\n", printable(risk.Explain(v, text)))
		},
	}
	cmd.Flags().StringVar(&shell, "shell", "bash", "bash, sh, zsh or fish")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the verdict as one JSON object")
	cmd.Flags().BoolVar(&asLines, "jsonl", false, `read lines {"cmd":"…"}, print a verdict for each`)
	return cmd
}

func (a *app) riskLines(dialect risk.Dialect) error {
	in := bufio.NewScanner(a.in)
	in.Buffer(nil, maxLine)
	out := bufio.NewWriter(a.out)
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
		if err := writeJSON(out, risk.Command(*line.Cmd, dialect)); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("risk: %w", err)
	}
	return out.Flush()
}
