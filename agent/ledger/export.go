package ledger

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// ExportJSON writes the records of the ledger in dir that keep accepts, one
// JSON object a line. A nil keep accepts all. A *Fault ends the export after
// the last good record.
func ExportJSON(w io.Writer, dir string, keep func(Record) bool) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := Read(dir, func(r Record) error {
		if keep != nil && !keep(r) {
			return nil
		}
		return enc.Encode(r)
	})
	return errors.Join(err, out.Flush())
}

// ExportMarkdown writes the runs and notes of the ledger in dir that keep
// accepts as a document for a ticket. keep sees intents and notes; an intent
// brings its conclusion along. A *Fault is named at the end of the document and
// returned.
func ExportMarkdown(w io.Writer, dir string, keep func(Record) bool) error {
	var shown []Record
	ends := map[string]*Conclusion{}
	verdict := Read(dir, func(r Record) error {
		switch {
		case r.Type == TypeConclusion:
			ends[r.Ref] = r.Conclusion
		case keep == nil || keep(r):
			shown = append(shown, r)
		}
		return nil
	})
	var fault *Fault
	if verdict != nil && !errors.As(verdict, &fault) {
		return verdict
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# What ran\n") // bufio keeps the error for Flush
	for _, r := range shown {
		switch {
		case r.Intent != nil:
			writeRun(out, r, ends[r.Ref])
		case r.Note != nil:
			writeNote(out, r)
		}
	}
	if fault != nil {
		fmt.Fprintf(out, "\n**The ledger does not hold from here on:** %s\n", inline(fault.Error()))
	} else {
		fmt.Fprintf(out, "\nEvery record above was verified.\n")
	}
	return errors.Join(verdict, out.Flush())
}

func writeRun(out *bufio.Writer, r Record, end *Conclusion) {
	i := r.Intent
	title := i.Target
	if n := len(i.Targets); n > 0 {
		title += fmt.Sprintf(" (%d targets)", n)
	}
	if i.User != "" {
		title += " as " + i.User
	}
	if i.Pane != "" {
		title += ", pane " + i.Pane
	}
	if i.Dir != "" {
		title += ", in " + i.Dir
	}
	fmt.Fprintf(out, "\n## %d. %s on %s\n\n%s\n\n", r.Seq, inline(i.Tool), inline(title), r.Time.Format(time.RFC3339))
	writeWhat(out, i)
	decided := i.Decision
	if i.Rule != "" {
		decided += ", rule " + i.Rule
	}
	if i.By != "" {
		decided += ", by " + i.By
	}
	if i.Agent != "" {
		decided += ", for the sub-agent " + i.Agent
	}
	fmt.Fprintf(out, "- decision: %s\n- outcome: %s\n- record: %s\n", inline(decided), inline(describe(end)), r.MAC[:16])
	if i.Recording != nil {
		fmt.Fprintf(out, "- recording: %s, at %s\n", inline(i.Recording.File), i.Recording.At.Round(time.Millisecond))
	}
}

func writeNote(out *bufio.Writer, r Record) {
	fmt.Fprintf(out, "\n## %d. %s\n\n%s\n\n", r.Seq, inline(r.Note.Kind), r.Time.Format(time.RFC3339))
	if r.Note.Text != "" {
		fmt.Fprintf(out, "%s\n\n", inline(r.Note.Text))
	}
	if r.Note.Proposal != nil {
		writeWhat(out, r.Note.Proposal)
	}
}

// writeWhat writes a command and its input, and a path and its content's sum.
func writeWhat(out *bufio.Writer, i *Intent) {
	if i.Command != "" {
		writeFenced(out, i.Command)
	}
	if i.Stdin != "" {
		fmt.Fprintf(out, "with the standard input\n\n")
		writeFenced(out, i.Stdin)
	}
	if i.Path != "" {
		fmt.Fprintf(out, "- path: %s\n", inline(i.Path))
	}
	if i.Content != "" {
		fmt.Fprintf(out, "- content: SHA-256 %s\n", inline(i.Content))
	}
}

// writeFenced writes a text in a fence that it cannot close.
func writeFenced(out *bufio.Writer, text string) {
	text = printable(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(out, "%s\n%s\n%s\n\n", fence, text, fence)
}

// describe is a conclusion in words.
func describe(c *Conclusion) string {
	if c == nil {
		return "still open"
	}
	s := c.Outcome
	switch {
	case c.ExitCode != nil:
		s += " " + strconv.Itoa(*c.ExitCode)
	case c.Signal != "":
		s += " " + c.Signal
	}
	s += fmt.Sprintf(", %d bytes, %s", c.Bytes, c.Duration.Round(time.Millisecond))
	if c.Error != "" {
		s += ": " + c.Error
	}
	return s
}

// printable keeps printable ASCII and newlines and quotes lines with anything
// else, so that a document never contains what could change how it is read. A
// line that begins like a quoted one is quoted, too, so that no two look alike.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for n, line := range lines {
		quoted := strconv.QuoteToASCII(line)
		if strings.HasPrefix(line, `"`) || quoted[1:len(quoted)-1] != strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(line) {
			lines[n] = quoted
		}
	}
	return strings.Join(lines, "\n")
}

// inline makes text safe in a Markdown line.
func inline(s string) string {
	var b strings.Builder
	for _, r := range printable(strings.ReplaceAll(s, "\n", " ")) {
		if strings.ContainsRune("\\`*_{}[]<>#|!&~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
