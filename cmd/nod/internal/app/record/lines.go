package record

import (
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/ui/screen"
)

// Lines are the newest records of a ledger, last of them or all if it is 0, as "nod audit
// show" prints them: a line each, in columns. With an error come the lines before it.
func Lines(dir string, last int) ([]string, error) {
	var lines []string
	err := ledger.Read(dir, func(r ledger.Record) error {
		if r.Note != nil && r.Note.Kind == EndedKind {
			return nil
		}
		lines = append(lines, lineOf(r))
		if last > 0 && len(lines) > last {
			lines = lines[1:]
		}
		return nil
	})
	return aligned(lines), Explain(dir, err)
}

// widest is how wide a column of [Lines] gets, but for the last of a line.
// What is longer pushes the rest of its own line, not of all.
const widest = 30

// aligned are lines of tab-separated columns with the columns under each other, by
// how wide a terminal draws them.
func aligned(lines []string) []string {
	var widths []int
	rows := make([][]string, len(lines))
	for i, line := range lines {
		rows[i] = strings.Split(line, "\t")
		for j, cell := range rows[i][:len(rows[i])-1] {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], min(screen.Width(cell), widest))
		}
	}
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			b.WriteString(cell)
			if j < len(row)-1 {
				b.WriteString(strings.Repeat(" ", max(0, widths[j]-screen.Width(cell))+2))
			}
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// lineOf is a record in tab-separated columns. Foreign text is rendered so
// that it cannot move the cursor.
func lineOf(r ledger.Record) string {
	head := fmt.Sprintf("%d\t%s\t%s", r.Seq, r.Time.Local().Format("2006-01-02 15:04:05"), r.Type)
	switch {
	case r.Intent != nil:
		return head + "\t" + intentColumns(*r.Intent)
	case r.Conclusion != nil:
		outcome := r.Conclusion.Outcome
		if code := r.Conclusion.ExitCode; code != nil {
			outcome += fmt.Sprintf(" %d", *code)
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", head, Short(r.Ref), outcome, show.Text(r.Conclusion.Error), placeOf(r.Conclusion.Recording))
	case r.Note != nil && r.Note.Proposal != nil:
		return fmt.Sprintf("%s\t%s\t%s", head, r.Note.Kind, intentColumns(*r.Note.Proposal))
	case r.Note != nil:
		return fmt.Sprintf("%s\t%s\t%s", head, r.Note.Kind, show.Text(r.Note.Text))
	}
	return head
}

// placeOf is where something is seen, as "nod replay" takes it; empty if it is
// not recorded.
func placeOf(r *ledger.Recording) string {
	if r == nil {
		return ""
	}
	return show.Text(r.File) + "@" + r.At.Round(time.Millisecond).String()
}

func intentColumns(i ledger.Intent) string {
	what := i.Path
	if what == "" {
		what = i.Command
	}
	tool := i.Tool
	if n := len(i.Targets); n > 0 {
		tool += fmt.Sprintf(" (%d targets)", n)
	}
	if i.Agent != "" {
		tool += " (" + i.Agent + " under " + i.Parent + ")"
	}
	return fmt.Sprintf("%s\t%s %s\t%s\t%s", Short(i.ID), i.Target, show.Text(tool), i.Decision, Brief(show.Text(what)))
}

// mostShown is how many characters of a command a line has.
const mostShown = 200

// Brief is the beginning of a text that is too long for a line.
func Brief(text string) string {
	all := []rune(text)
	if len(all) <= mostShown {
		return text
	}
	return fmt.Sprintf("%s… (%d characters; nod audit export has all of it)", string(all[:mostShown]), len(all))
}

// Short is the end of an identifier, which tells records apart.
func Short(id string) string { return id[max(0, len(id)-6):] }
