package main

import (
	"regexp"
	"slices"
	"strings"
)

// reader reads what nod prints as pages of Markdown, and knows where each name leads.
type reader struct {
	ask     program
	targets map[string]string // addresses by "help rules", "audit show" and "/undo"
}

// topics reads the topics of a list into the chapters. Their Markdown is what nod man
// understands, too: raw HTML has no place in it.
func (r *reader) topics(list string) (contents []chapter, err error) {
	contents = slices.Clone(chapters)
	for _, t := range listed(list) {
		text, err := r.ask("help", t.ID)
		if err != nil {
			return nil, err
		}
		p := &page{Name: t.ID, Title: "Keys and commands", Short: t.Text}
		if title, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(title, "# ") {
			p.Title, p.text = title[2:], rest
		} else {
			p.text = ofKeys(text)
		}
		r.targets["help "+t.ID] = t.ID + ".html"
		at := slices.IndexFunc(contents, func(c chapter) bool { return slices.Contains(c.topics, t.ID) })
		if at < 0 {
			at = len(contents) - 1
		}
		contents[at].Pages = append(contents[at].Pages, p)
	}
	for _, c := range contents {
		slices.SortStableFunc(c.Pages, func(a, b *page) int {
			return slices.Index(c.topics, a.Name) - slices.Index(c.topics, b.Name)
		})
	}
	return contents, nil
}

// commands reads the help of nod and of its commands.
func (r *reader) commands(root string) (chapter, error) {
	all := chapter{Title: "Commands", Pages: []*page{{Name: "nod", Title: "nod", Short: "the console, and flags of all commands", text: ofHelp(root, "")}}}
	r.targets["help"] = commandAddress("help")
	for _, c := range listed(section(root, "Available Commands:")) {
		if c.ID == "help" {
			continue // its commands are the topics
		}
		p := &page{Name: "nod-" + c.ID, Title: "nod " + c.ID, Short: c.Text}
		if err := r.command(p, c.ID); err != nil {
			return chapter{}, err
		}
		all.Pages = append(all.Pages, p)
	}
	return all, nil
}

// command adds to a page the help of a command, and below it of those that it consists of.
func (r *reader) command(p *page, name string) error {
	text, err := r.ask(append(strings.Fields(name), "--help")...) // nod help mcp is the topic
	if err != nil {
		return err
	}
	r.targets[name] = commandAddress(name)
	if _, taken := r.targets["help "+name]; !taken {
		r.targets["help "+name] = commandAddress(name)
	}
	if p.text == "" {
		p.text = ofHelp(strings.TrimPrefix(text, p.Short+"\n"), name)
	} else {
		p.text += "\n## nod " + name + "\n\n" + ofHelp(text, name)
	}
	for _, c := range listed(section(text, "Available Commands:")) {
		if err := r.command(p, name+" "+c.ID); err != nil {
			return err
		}
	}
	return nil
}

// commandAddress is where the help of a command stands, by its words behind nod. What
// nod help lists, the first page does.
func commandAddress(name string) string {
	first, rest, _ := strings.Cut(name, " ")
	switch {
	case name == "help":
		return "index.html"
	case rest == "":
		return "nod-" + first + ".html"
	}
	return "nod-" + first + ".html#" + slug("nod "+name)
}

var (
	listLine    = regexp.MustCompile(`(?m)^  ([a-z_]+) +(.*)$`)
	flagLine    = regexp.MustCompile(`^ +(-\S.*?)(?: {2,}(.*))?$`)
	helpHeading = regexp.MustCompile(`^(Usage|Aliases|Examples|Available Commands|Flags):$`)
	punctuation = regexp.MustCompile("[!-/:-@\\[-`{-~]")
)

// listed are the names of a list with what is said of each.
func listed(list string) (all []anchor) {
	for _, m := range listLine.FindAllStringSubmatch(list, -1) {
		all = append(all, anchor{m[1], m[2]})
	}
	return all
}

// section is what stands below a heading of a help text, up to an empty line.
func section(text, heading string) string {
	_, rest, _ := strings.Cut(text, "\n"+heading+"\n")
	own, _, _ := strings.Cut(rest, "\n\n")
	return own
}

// plain is text as Markdown in which no character means anything.
func plain(text string) string {
	return punctuation.ReplaceAllString(strings.TrimSpace(text), `\$0`)
}

// ofHelp is the help of a command, as cobra prints it, as Markdown.
func ofHelp(text, name string) string {
	text, _, _ = strings.Cut(text, "\nUse \"nod")
	text, _, _ = strings.Cut(text, "\nGlobal Flags:")
	var b strings.Builder
	in, code := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		was := code
		code = false
		if m := helpHeading.FindStringSubmatch(line); m != nil {
			in = m[1]
			line = "\n### " + in + "\n"
		} else if m := flagLine.FindStringSubmatch(line); m != nil && in == "Flags" {
			line = "\n" + plain(m[1]) + "\n: " + plain(m[2])
		} else if m := listLine.FindStringSubmatch(line); m != nil && in == "Available Commands" {
			line = "\n[" + plain(m[1]) + "](" + commandAddress(strings.TrimSpace(name+" "+m[1])) + ")\n: " + plain(m[2])
		} else if code = strings.HasPrefix(line, "  "); code {
			line = "  " + line
		} else {
			line = plain(line)
		}
		if code != was {
			line = "\n" + line
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// ofKeys is the page of the keys as Markdown: groups of terms with their definitions,
// and below them what is said of bindings.
func ofKeys(text string) string {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch words := strings.TrimLeft(line, " "); {
		case words == "" || i == 0:
		case words == line:
			line = "\n## " + plain(line) + "\n"
		case strings.HasPrefix(line, "      "):
			line = plain(line)
			if !strings.HasPrefix(lines[i-1], "      ") {
				line = ": " + line
			}
		case strings.HasPrefix(line, "    "): // code
		case i+1 < len(lines) && strings.HasPrefix(lines[i+1], "      "):
			line = "\n" + plain(line)
		default:
			line = plain(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
