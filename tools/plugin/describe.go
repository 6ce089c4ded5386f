package plugin

import (
	"fmt"
	"slices"
	"strings"
)

// Describe is what a plugin is and asks for, in lines.
func (p Plugin) Describe() string {
	asks := p.Permissions
	var hooks []string
	for _, e := range asks.Hooks {
		if slices.Contains(asks.Required, e) {
			e += " (required)"
		}
		hooks = append(hooks, e)
	}
	return fmt.Sprintf("%s %s\n%s\n\nmay ask for\n  tools:   %s\n  targets: %s\n  hosts:   %s\n  paths:   %s\n  hooks:   %s\ndigest %s",
		p.Name, p.Version, p.Description, orNone(asks.Tools), orNone(asks.Targets), orNone(asks.Hosts), orNone(asks.Paths), orNone(hooks), p.Digest)
}

// orNone is a list in words.
func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// Registered is what a plugin's code has registered, and whether it has a test, in lines.
func (l *Loaded) Registered() string {
	var b strings.Builder
	b.WriteString("registers\n")
	for _, t := range l.Tools() {
		fmt.Fprintf(&b, "  tool %s: %s\n", t.Name(), t.Description())
	}
	for _, e := range l.Hooks() {
		fmt.Fprintf(&b, "  hook %s\n", e)
	}
	for _, c := range l.Commands() {
		fmt.Fprintf(&b, "  command %s: %s\n", strings.TrimSpace("/"+c.Name+" "+c.Args), c.Description)
	}
	tested := "it has no " + TestName
	if _, there := l.Files[TestName]; there {
		tested = TestName + " has passed"
	}
	return b.String() + tested + "\n"
}
