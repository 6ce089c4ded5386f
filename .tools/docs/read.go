package main

import (
	"bytes"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// reader makes pages of what nod prints, and knows where each name leads.
type reader struct {
	ask     program
	targets map[string]string // addresses by "help rules", "audit show" and "/undo"
}

// read reads all topics and commands. It returns them by chapters, and one after the
// other behind the first page.
func (r *reader) read() (contents []chapter, all []*page, err error) {
	root, err := r.ask("help")
	if err != nil {
		return nil, nil, err
	}
	intro, rest, _ := strings.Cut(root, "\nUsage:")
	_, topics, _ := strings.Cut(rest, "\nTopics (nod help TOPIC):\n")
	contents, err = r.readTopics(listed(topics))
	if err != nil {
		return nil, nil, err
	}
	own, _, _ := strings.Cut(root, "\nUse \"nod")
	commands := chapter{Title: "Commands", Pages: []*page{{Name: "nod", Title: "nod", Short: "the console, and flags of all commands", HTML: drawn(helpBlocks(own, ""))}}}
	r.targets["help"] = commandAddress("help")
	for _, c := range listed(section(root, "Available Commands:")) {
		if c.ID == "help" {
			continue // its commands are the topics
		}
		p := &page{Name: "nod-" + c.ID, Title: "nod " + c.ID, Short: c.Text}
		if p.HTML, err = r.command(p, []string{c.ID}); err != nil {
			return nil, nil, err
		}
		commands.Pages = append(commands.Pages, p)
	}
	contents = append(contents, commands)

	all = []*page{{Name: "index", Title: "nod", HTML: drawn(helpBlocks(intro, ""))}}
	for _, c := range contents {
		all = append(all, c.Pages...)
	}
	for _, p := range all {
		p.setAnchors()
		if p.Name == "keys" {
			r.learnKeys(p)
		}
	}
	for _, p := range all {
		p.HTML = r.withLinks(p.HTML, p.Name+".html")
	}
	return contents, all, nil
}

var (
	slashed   = regexp.MustCompile(`<dt id="([^"]*)">([^<]*)</dt>`)
	slashWord = regexp.MustCompile(`/[a-z][a-z-]*`)
)

// learnKeys learns where the words of the console, such as /undo, are explained.
func (r *reader) learnKeys(p *page) {
	for _, m := range slashed.FindAllStringSubmatch(string(p.HTML), -1) {
		for _, word := range slashWord.FindAllString(m[2], -1) {
			r.targets[word] = p.Name + ".html#" + m[1]
		}
	}
}

// readTopics reads the topics that nod lists. Their Markdown is what nod man
// understands, too: raw HTML has no place in it.
func (r *reader) readTopics(known []anchor) (contents []chapter, err error) {
	contents = slices.Clone(chapters)
	markdown := goldmark.New(goldmark.WithExtensions(extension.DefinitionList))
	for _, t := range known {
		text, err := r.ask("help", t.ID)
		if err != nil {
			return nil, err
		}
		p := &page{Name: t.ID, Short: t.Text}
		title, rest, _ := strings.Cut(text, "\n")
		if heading, ok := strings.CutPrefix(title, "# "); ok {
			var body bytes.Buffer
			if err := markdown.Convert([]byte(rest), &body); err != nil {
				return nil, err
			}
			p.Title, p.HTML = heading, template.HTML(body.String())
		} else {
			p.Title, p.HTML = "Keys and commands", drawn(keyBlocks(text))
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
			return place(c.topics, a.Name) - place(c.topics, b.Name)
		})
	}
	return contents, nil
}

// place is the index of a name, or the end.
func place(names []string, name string) int {
	if at := slices.Index(names, name); at >= 0 {
		return at
	}
	return len(names)
}

// command is the help of a command, and below it of those that it consists of.
func (r *reader) command(p *page, words []string) (body template.HTML, err error) {
	text, err := r.ask(append([]string{"help"}, words...)...)
	if err != nil {
		return "", err
	}
	name := strings.Join(words, " ")
	address := commandAddress(name)
	if len(words) > 1 {
		body = drawn(blocks{{kind: heading, text: "nod " + name}})
	}
	r.targets[name] = address
	if _, taken := r.targets["help "+name]; !taken { // a topic of that name is what nod help prints
		r.targets["help "+name] = address
	}
	text, _, _ = strings.Cut(text, "\nUse \"nod")
	own, _, _ := strings.Cut(text, "\nGlobal Flags:")
	if len(words) == 1 {
		own = strings.TrimPrefix(own, p.Short+"\n") // where a command has no longer text than that
	}
	body += drawn(helpBlocks(own, name))
	for _, c := range listed(section(text, "Available Commands:")) {
		more, err := r.command(p, append(slices.Clone(words), c.ID))
		if err != nil {
			return "", err
		}
		body += more
	}
	return body, nil
}

// commandAddress is where the help of a command stands, by its words behind nod. What
// nod help lists, the first page does.
func commandAddress(name string) string {
	if name == "help" {
		return "index.html"
	}
	first, rest, _ := strings.Cut(name, " ")
	if rest == "" {
		return "nod-" + first + ".html"
	}
	return "nod-" + first + ".html#" + slug("nod "+name)
}

var listLine = regexp.MustCompile(`(?m)^  ([a-z_]+) +(.*)$`)

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
