package main

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

var markdown = goldmark.New(goldmark.WithExtensions(extension.DefinitionList))

// anchor is a place that has an address, with its text.
type anchor struct{ ID, Text string }

var (
	codeBlock  = regexp.MustCompile(`(?s)<pre><code>(.*?)</code></pre>`)
	anchorable = regexp.MustCompile(`<(h2|h3|dt)>(.*?)</(?:h2|h3|dt)>|<p><code>([A-Z][a-z' ]+\.?)</code>`)
	column     = regexp.MustCompile(`^( *\S.*?  +)(\S.*)`)
	tag        = regexp.MustCompile(`<[^>]*>`)
	notInSlug  = regexp.MustCompile(`[^a-z0-9]+`)
	termOfKeys = regexp.MustCompile(`<dt id="([^"]*)">([^<]*)</dt>`)
	slashWord  = regexp.MustCompile(`/[a-z][a-z-]*`)
	reference  = regexp.MustCompile(`<code>(?:nod |/)[^<]*</code>|&quot;nod [^<&]*&quot;|nod\s+help\s+[a-z_]+`)
	flagWord   = regexp.MustCompile(`([\s(>])(--?[a-z][a-z-]*)`)
)

// slug is the part of an address that stands for a text.
func slug(text string) string {
	return strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(text), "-"), "-")
}

// draw makes HTML of the page's Markdown, in which each heading, each term and each
// paragraph with a title of its own has an address. The page's contents become its
// headings, or else those titles; the help of a command lists its commands itself.
func (p *page) draw() error {
	var drawn bytes.Buffer
	if err := markdown.Convert([]byte(p.text), &drawn); err != nil {
		return err
	}
	used := map[string]int{"contents": 1, "text": 1}
	section := "" // what the addresses below a heading begin with
	var headings, titles []anchor
	text := anchorable.ReplaceAllStringFunc(drawn.String(), func(found string) string {
		m := anchorable.FindStringSubmatch(found)
		words := html.UnescapeString(tag.ReplaceAllString(m[2]+m[3], ""))
		id := slug(words)
		if id == "" {
			id = "sign"
		}
		if m[1] != "h2" {
			id = section + id
		}
		if used[id]++; used[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, used[id])
		}
		switch m[1] {
		case "h2":
			section = id + "-"
			headings = append(headings, anchor{id, words})
		case "":
			titles = append(titles, anchor{id, strings.TrimSuffix(words, ".")})
			return fmt.Sprintf(`<p id="%s"><strong>%s</strong>`, id, m[3])
		}
		return fmt.Sprintf(`<%s id="%s">%s</%s>`, m[1], id, m[2], m[1])
	})
	if p.Here = headings; headings == nil {
		p.Here = titles
	}
	if strings.HasPrefix(p.Name, "nod-") {
		p.Here = nil
	}
	p.HTML = template.HTML(codeBlock.ReplaceAllStringFunc(text, byLines))
	return nil
}

// byLines gives each line of code an element, by which a narrow page breaks it behind
// its indentation, and before what stands in a column of its own. The indentation that
// all lines have is left out.
func byLines(code string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(codeBlock.FindStringSubmatch(code)[1], "\n")+"\n", "\n")
	lines = lines[:len(lines)-1] // behind the last line there is nothing
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	common := indent(lines[0])
	for _, line := range lines {
		if line != "\n" {
			common = min(common, indent(line))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		line = line[min(common, indent(line)):]
		text := column.ReplaceAllString(line, `$1<span class="column">$2</span>`)
		fmt.Fprintf(&b, `<span class="line" style="--indent:%dch">%s</span>`, indent(line), text)
	}
	return "<pre><code>" + b.String() + "</code></pre>"
}

// learnKeys learns where the words of the console, such as /undo, are explained.
func (r *reader) learnKeys(p *page) {
	for _, m := range termOfKeys.FindAllStringSubmatch(string(p.HTML), -1) {
		for _, word := range slashWord.FindAllString(m[2], -1) {
			r.targets[word] = p.Name + ".html#" + m[1]
		}
	}
}

// link makes links of "nod help NAME", and of commands of nod and of the console that
// stand as code or in quotes, but not to the page itself. It keeps flags in one piece.
func (r *reader) link(p *page) {
	linked := reference.ReplaceAllStringFunc(string(p.HTML), func(found string) string {
		name := strings.Trim(html.UnescapeString(tag.ReplaceAllString(found, "")), `"`)
		words := strings.Fields(strings.TrimPrefix(name, "nod "))
		for ; len(words) > 0; words = words[:len(words)-1] {
			if address, ok := r.targets[strings.Join(words, " ")]; ok && address != p.Name+".html" {
				return fmt.Sprintf(`<a href="%s">%s</a>`, address, found)
			}
		}
		return found
	})
	p.HTML = template.HTML(flagWord.ReplaceAllString(linked, `$1<span class="flag">$2</span>`))
}
