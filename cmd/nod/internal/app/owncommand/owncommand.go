package owncommand

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nod-console/nod/ui/keys"
)

// Section is a command as the configuration has it.
type Section struct {
	Name        string
	Description string
	Prompt      string   // what the model is asked, with {{NAME}} for arguments
	Run         string   // a command line that runs in the terminal, with {{NAME}} for arguments
	Args        []string // "NAME", "NAME?" if it can be left out, "NAME=a|b" for one of a few values
	Key         string
	Target      string // where it is meant; empty: where the operator works
}

// Error says which key of a command's section is wrong.
type Error struct {
	Command string
	Key     string // empty: the section itself
	Why     string // quotes the value
}

// Error implements error.
func (e *Error) Error() string {
	at := "command." + e.Command
	if e.Key != "" {
		at += "." + e.Key
	}
	return at + ": " + e.Why
}

// Command is a checked command.
type Command struct {
	Section
	args []argument
}

// argument is one of a command's arguments.
type argument struct {
	name     string
	values   []string // none: any
	optional bool
}

// New checks a section. The error is an *Error: the first fault, in the order of the
// fields.
func New(s Section) (Command, error) {
	if err := s.check(); err != nil {
		return Command{}, err
	}
	args, err := s.arguments()
	if err != nil {
		return Command{}, err
	}
	c := Command{Section: s, args: args}
	if err := c.checkTemplate(); err != nil {
		return Command{}, err
	}
	return c, nil
}

// fault is what is wrong with a field; key is empty for the command as a whole.
func (s Section) fault(key, format string, args ...any) error {
	return &Error{s.Name, key, fmt.Sprintf(format, args...)}
}

// check checks each field by itself, but for the arguments.
func (s Section) check() error {
	switch {
	case !isWord(s.Name):
		return s.fault("", "%q is no name of a command: want small letters and -, a letter first", s.Name)
	case keys.IsWord(s.Name):
		return s.fault("", "/%s is a command of nod's own; choose another name", s.Name)
	case s.Prompt == "" && s.Run == "":
		return s.fault("", "want a prompt, for the model, or run, a command line")
	case s.Prompt != "" && s.Run != "":
		return s.fault("run", "%q: there is a prompt as well; leave one of them out", s.Run)
	case strings.ContainsAny(s.Description, "\n\r"):
		return s.fault("description", "%q is more than one line", s.Description)
	case strings.ContainsAny(s.Run, "\n\r"):
		return s.fault("run", "%q is more than one line; put && or ; between commands", s.Run)
	}
	return nil
}

// arguments reads the arguments.
func (s Section) arguments() (args []argument, err error) {
	for i, text := range s.Args {
		a, why := parseArgument(text)
		if why != "" {
			return nil, s.fault("args", "%q: %s", text, why)
		}
		if slices.ContainsFunc(args, func(o argument) bool { return o.name == a.name }) {
			return nil, s.fault("args", "%q: there are two of that name", text)
		}
		if i > 0 && args[i-1].optional && !a.optional {
			return nil, s.fault("args", "%q: it cannot be left out, and the one before it can", text)
		}
		args = append(args, a)
	}
	return args, nil
}

// checkTemplate checks that the prompt, or the line to be run, uses all arguments and
// nothing else.
func (c Command) checkTemplate() error {
	key, template := "prompt", c.Prompt
	if c.Run != "" {
		key, template = "run", c.Run
	}
	for _, part := range split(template) {
		if part.name != "" && !slices.ContainsFunc(c.args, func(a argument) bool { return a.name == part.name }) {
			return c.fault(key, "{{%s}} is no argument; args has %s", part.name, orNone(c.names()))
		}
	}
	if name := withinQuotes(c.Run); name != "" {
		return c.fault("run", "{{%s}} stands within quotes: leave them out, since a value is quoted by nod", name)
	}
	for _, a := range c.args {
		if !slices.ContainsFunc(split(template), func(p part) bool { return p.name == a.name }) {
			return c.fault("args", "%q is not used: write {{%s}} into %s", a.name, a.name, key)
		}
	}
	return nil
}

// parseArgument reads "NAME", "NAME?" or "NAME=a|b".
func parseArgument(text string) (a argument, why string) {
	name, values, some := strings.Cut(text, "=")
	if some {
		for v := range strings.SplitSeq(values, "|") {
			if v == "" || strings.ContainsFunc(v, unicode.IsSpace) {
				return a, "want its values like this: service=nginx|sshd, without blanks"
			}
			a.values = append(a.values, v)
		}
	}
	a.name, a.optional = strings.CutSuffix(name, "?")
	if !isWord(a.name) {
		return a, fmt.Sprintf("%q is no name: want small letters and -, a letter first", a.name)
	}
	return a, ""
}

// Usage is what follows the command's word: "service=nginx|sshd [host]".
func (c Command) Usage() string {
	var words []string
	for _, a := range c.args {
		word := a.name
		if len(a.values) > 0 {
			word = strings.Join(a.values, "|")
		}
		if a.optional {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Text says in a few words what the command does.
func (c Command) Text() string {
	if c.Description != "" {
		return c.Description
	}
	text := "ask: " + c.Prompt
	if c.Run != "" {
		text = "run: " + c.Run
	}
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 80 {
		text = string(r[:79]) + "…"
	}
	return text
}

// Values are what the argument at an index, from 0, can be; none: anything.
func (c Command) Values(index int) []string {
	if index < 0 || index >= len(c.args) {
		return nil
	}
	return c.args[index].values
}

// Line is what the operator would have written: a prompt, or "!" and a command line. In
// a command line, each argument is one word, whatever it holds. The last argument takes
// the rest of the line. The error says how the command is used.
func (c Command) Line(args string) (string, error) {
	words := strings.Fields(args)
	if n := len(c.args); n > 0 && len(words) > n {
		rest := strings.TrimSpace(args)
		for range n - 1 {
			rest = strings.TrimLeftFunc(rest[strings.IndexFunc(rest, unicode.IsSpace):], unicode.IsSpace)
		}
		words = append(words[:n-1:n-1], rest)
	}
	usage := strings.TrimSpace("/" + c.Name + " " + c.Usage())
	if len(words) > len(c.args) {
		return "", fmt.Errorf("/%s: %q is too much: it takes no arguments", c.Name, words[len(c.args)])
	}
	given := map[string]string{}
	for i, a := range c.args {
		switch {
		case i < len(words):
			if len(a.values) > 0 && !slices.Contains(a.values, words[i]) {
				return "", fmt.Errorf("/%s: %q is not one of %s: %s", c.Name, words[i], strings.Join(a.values, ", "), usage)
			}
			given[a.name] = words[i]
		case !a.optional:
			return "", fmt.Errorf("/%s: %s is missing: %s", c.Name, a.name, usage)
		}
	}
	template, quote := c.Prompt, func(s string) string { return s }
	if c.Run != "" {
		template, quote = c.Run, quoted
	}
	var b strings.Builder
	for _, p := range split(template) {
		b.WriteString(p.text)
		if value, ok := given[p.name]; ok {
			b.WriteString(quote(value))
		}
	}
	line := strings.TrimSpace(b.String())
	if c.Run != "" {
		line = "!" + line
	}
	return line, nil
}

// quoted is a word for a shell, POSIX or fish, as it is.
func quoted(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-./:@%+,", r)
	}) {
		return s
	}
	// A backslash is kept by POSIX shells within '…' and may not be by fish, so it
	// stands outside of them.
	return "'" + strings.NewReplacer("'", `'\''`, `\`, `'\\'`).Replace(s) + "'"
}

// part is a piece of a template: text, and then the argument of that name.
type part struct{ text, name string }

// split takes a template apart at its {{NAME}}. Anything else between braces is text.
func split(template string) []part {
	var all []part
	text := ""
	for {
		before, after, found := strings.Cut(template, "{{")
		if !found {
			return append(all, part{text: text + template})
		}
		name, rest, closed := strings.Cut(after, "}}")
		if !closed || !isWord(strings.TrimSpace(name)) {
			text += before + "{{"
			template = after
			continue
		}
		all = append(all, part{text + before, strings.TrimSpace(name)})
		text, template = "", rest
	}
}

// withinQuotes is the first argument that stands within quotes of a command line, where
// a quoted value would not be one word.
func withinQuotes(line string) string {
	var open rune
	for _, p := range split(line) {
		escaped := false
		for _, r := range p.text {
			switch {
			case escaped:
				escaped = false
			case r == '\\' && open != '\'':
				escaped = true
			case open == 0 && (r == '\'' || r == '"' || r == '`'):
				open = r
			case r == open:
				open = 0
			}
		}
		if p.name != "" && (open != 0 || escaped) {
			return p.name
		}
	}
	return ""
}

func (c Command) names() (names []string) {
	for _, a := range c.args {
		names = append(names, a.name)
	}
	return names
}

func isWord(s string) bool {
	if s == "" || len(s) > 32 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' })
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
