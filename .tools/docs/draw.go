package main

import (
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

// kind is what a run of lines is, by the HTML element that shows it.
type kind string

const (
	heading    kind = "h2"
	subheading kind = "h3"
	prose      kind = "p"
	code       kind = "pre"
	term       kind = "dt"
	definition kind = "dd"
)

type block struct {
	kind    kind
	text    string // its lines
	address string // where a term leads, or empty
}

// blocks is a list of blocks that grows by lines.
type blocks []block

// add adds a line to the last block if it is of that kind, and none that has one line.
func (b *blocks) add(k kind, line string) {
	if last := len(*b) - 1; last >= 0 && (*b)[last].kind == k && slices.Contains([]kind{prose, code, definition}, k) {
		(*b)[last].text += "\n" + line
		return
	}
	*b = append(*b, block{kind: k, text: line})
}

var (
	helpHeading = regexp.MustCompile(`^(Usage|Aliases|Examples|Available Commands|Flags|Global Flags):$`)
	flagLine    = regexp.MustCompile(`^ +(-\S.*?)(?: {2,}(.*))?$`)
)

// helpBlocks reads the help of the command name, nod's own if it is empty, as cobra
// prints it.
func helpBlocks(text, name string) (all blocks) {
	in := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		if m := helpHeading.FindStringSubmatch(line); m != nil {
			in = m[1]
			all.add(subheading, in)
		} else if m := flagLine.FindStringSubmatch(line); m != nil && strings.HasSuffix(in, "Flags") {
			all.add(term, m[1])
			all.add(definition, m[2])
		} else if m := listLine.FindStringSubmatch(line); m != nil && in == "Available Commands" {
			all = append(all, block{term, m[1], commandAddress(strings.TrimSpace(name + " " + m[1]))})
			all.add(definition, m[2])
		} else if line == "" {
			all.end()
		} else if indented {
			all.add(code, line)
		} else {
			all.add(prose, line)
		}
	}
	return all.whole()
}

// keyBlocks reads the page of the keys: groups with terms and their definitions, and
// below them what is said of bindings.
func keyBlocks(text string) (all blocks) {
	lines := strings.Split(text, "\n")
	defined := false // the line belongs to a term
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case line == "":
			all.end()
			defined = false
		case indent == 0 && i > 0:
			all.add(heading, line)
		case indent == 2 && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "      "):
			all.add(term, strings.TrimSpace(line))
			defined = true
		case indent > 2 && defined:
			all.add(definition, strings.TrimSpace(line))
		case indent > 2:
			all.add(code, line)
		default:
			all.add(prose, strings.TrimSpace(line))
		}
	}
	return all.whole()
}

// end lets the next line begin a new block: it sets an empty one, which whole removes.
func (b *blocks) end() { *b = append(*b, block{}) }

// whole joins code that only empty lines divide, and removes the empty blocks.
func (b *blocks) whole() (all blocks) {
	for _, next := range *b {
		if last := len(all) - 1; next.kind == code && last >= 0 && all[last].kind == code {
			all[last].text += "\n\n" + next.text
		} else if next.kind != "" {
			all = append(all, next)
		}
	}
	return all
}

// drawn is blocks as HTML.
func drawn(all blocks) template.HTML {
	var b strings.Builder
	inList := false
	for _, block := range all {
		if list := block.kind == term || block.kind == definition; list != inList {
			inList = list
			b.WriteString(map[bool]string{true: "<dl>\n", false: "</dl>\n"}[list])
		}
		text := html.EscapeString(block.text)
		if block.kind == code {
			text = "<code>" + html.EscapeString(outdented(block.text)) + "\n</code>"
		}
		if block.address != "" {
			text = fmt.Sprintf(`<a href="%s">%s</a>`, block.address, text)
		}
		fmt.Fprintf(&b, "<%s>%s</%s>\n", block.kind, text, block.kind)
	}
	if inList {
		b.WriteString("</dl>\n")
	}
	return template.HTML(b.String())
}

// outdented is text without the indentation that all its lines have.
func outdented(text string) string {
	for strings.HasPrefix(text, " ") && !regexp.MustCompile(`\n[^ \n]`).MatchString(text) {
		text = strings.ReplaceAll(text[1:], "\n ", "\n")
	}
	return text
}

type anchor struct{ ID, Text string }

var (
	codeBlock  = regexp.MustCompile(`(?s)<pre><code>(.*?)\n?</code></pre>`)
	anchorable = regexp.MustCompile(`<(h2|h3|dt)>(.*?)</(?:h2|h3|dt)>|<p><code>([A-Z][a-z' ]+\.?)</code>`)
	column     = regexp.MustCompile(`^( *\S.*?  +)(\S.*)`)
	tag        = regexp.MustCompile(`<[^>]*>`)
	notInSlug  = regexp.MustCompile(`[^a-z0-9]+`)
)

func slug(text string) string {
	return strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(text), "-"), "-")
}

// setAnchors gives each heading, each term and each paragraph with a title of its own
// an address, and each line of code an element by which a narrow page can break it. The
// page's contents become its headings, or else those titles.
func (p *page) setAnchors() {
	used := map[string]int{"contents": 1, "text": 1}
	var titles []anchor
	section := "" // what the addresses below a heading begin with
	text := anchorable.ReplaceAllStringFunc(string(p.HTML), func(found string) string {
		m := anchorable.FindStringSubmatch(found)
		words := html.UnescapeString(tag.ReplaceAllString(m[2]+m[3], ""))
		id := slug(words)
		if id == "" {
			id = "sign"
		}
		if m[1] == "h2" {
			section = id + "-"
		} else {
			id = section + id
		}
		if used[id]++; used[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, used[id])
		}
		switch m[1] {
		case "h2":
			p.Here = append(p.Here, anchor{id, words})
		case "":
			titles = append(titles, anchor{id, strings.TrimSuffix(words, ".")})
			return fmt.Sprintf(`<p id="%s"><strong>%s</strong>`, id, m[3])
		}
		return fmt.Sprintf(`<%s id="%s">%s</%s>`, m[1], id, m[2], m[1])
	})
	if p.Here == nil {
		p.Here = titles
	}
	if strings.HasPrefix(p.Name, "nod-") {
		p.Here = nil // the help of a command lists its commands
	}
	p.HTML = template.HTML(codeBlock.ReplaceAllStringFunc(text, func(found string) string {
		var b strings.Builder
		for line := range strings.Lines(codeBlock.FindStringSubmatch(found)[1] + "\n") {
			indent := len(line) - len(strings.TrimLeft(line, " "))
			line = column.ReplaceAllString(line, `$1<span class="column">$2</span>`)
			fmt.Fprintf(&b, `<span class="line" style="--indent:%dch">%s</span>`, indent, line)
		}
		return "<pre><code>" + b.String() + "</code></pre>"
	}))
}

var (
	reference = regexp.MustCompile(`<code>(?:nod |/)[^<]*</code>|&#34;nod [^<&]*&#34;|&quot;nod [^<&]*&quot;|nod\s+help\s+[a-z_]+`)
	flagWord  = regexp.MustCompile(`([\s(>])(--?[a-z][a-z-]*)`)
)

// withLinks makes links of "nod help NAME", and of commands of nod and of the console
// that stand as code, but not to the page itself. It keeps flags in one piece.
func (r *reader) withLinks(text template.HTML, here string) template.HTML {
	linked := reference.ReplaceAllStringFunc(string(text), func(found string) string {
		plain := strings.Trim(html.UnescapeString(tag.ReplaceAllString(found, "")), `"`)
		words := strings.Fields(strings.TrimPrefix(plain, "nod "))
		for ; len(words) > 0; words = words[:len(words)-1] {
			if address, ok := r.targets[strings.Join(words, " ")]; ok && address != here {
				return fmt.Sprintf(`<a href="%s">%s</a>`, address, found)
			}
		}
		return found
	})
	return template.HTML(flagWord.ReplaceAllString(linked, `$1<span class="flag">$2</span>`))
}
