package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// ExportJSON writes a conversation as JSON lines: the conversation first, then a
// message each, as they are stored. Text that is no UTF-8 is replaced.
func ExportJSON(w io.Writer, c Conversation, said []Message) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	head := struct {
		Conversation string    `json:"conversation"`
		Title        string    `json:"title"`
		Target       string    `json:"target"`
		Model        string    `json:"model"`
		Created      time.Time `json:"created"`
		Updated      time.Time `json:"updated"`
		Parent       string    `json:"parent,omitempty"`
		Messages     int       `json:"messages"`
	}{c.ID, c.Title, c.Target, c.Model, c.Created.UTC(), c.Updated.UTC(), c.Parent, len(said)}
	if err := enc.Encode(head); err != nil {
		return err
	}
	for _, m := range said {
		line := struct {
			Place     int       `json:"place"`
			Time      time.Time `json:"time"`
			Role      Role      `json:"role"`
			Content   string    `json:"content"`
			Reasoning string    `json:"reasoning,omitempty"`
			Calls     []Call    `json:"calls,omitempty"`
			Call      string    `json:"call,omitempty"`
			Tool      string    `json:"tool,omitempty"`
			IsError   bool      `json:"is_error,omitempty"`
			Denied    bool      `json:"denied,omitempty"`
		}{m.Place, m.Time.UTC(), m.Role, m.Content, m.Reasoning, m.Calls, m.Call, m.Tool, m.IsError, m.Denied}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

var roleNames = map[Role]string{User: "Operator", Assistant: "Model", Tool: "Result", Note: "nod", Task: "Task"}

// ExportMarkdown writes a conversation for reading. Control characters are left
// out; what calls and results hold stands in code blocks that it cannot leave.
func ExportMarkdown(w io.Writer, c Conversation, said []Message) error {
	var b strings.Builder
	title := oneLine(c.Title)
	if title == "" {
		title = c.ID
	}
	fmt.Fprintf(&b, "# %s\n\nConversation %s on %s with %s, begun %s, %d messages.\n",
		title, c.ID, oneLine(c.Target), oneLine(c.Model), c.Created.Format(time.RFC3339), len(said))
	for _, m := range said {
		fmt.Fprintf(&b, "\n## %s, %s\n", roleName(m), m.Time.Format("2006-01-02 15:04:05"))
		if m.Reasoning != "" {
			b.WriteString("\nReasoning:\n\n" + block("", m.Reasoning))
		}
		switch {
		case m.Role == Tool:
			b.WriteString("\n" + block("json", indented(m.Content)))
		case m.Content != "":
			b.WriteString("\n" + strings.TrimRight(plainText(m.Content), "\n") + "\n")
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "\nCall of `%s`:\n\n%s", oneLine(strings.ReplaceAll(c.Name, "`", "'")), block("json", indented(c.Arguments)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func roleName(m Message) string {
	name := roleNames[m.Role]
	if name == "" {
		name = string(m.Role)
	}
	if m.Tool != "" {
		name += " of " + oneLine(m.Tool)
	}
	switch {
	case m.Denied:
		name += " (denied)"
	case m.IsError:
		name += " (failed)"
	}
	return name
}

// block is a code block whose fence does not occur in the text.
func block(language, text string) string {
	text = plainText(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(plainText(text)), " ") }

// plainText leaves out what a terminal would obey.
func plainText(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
