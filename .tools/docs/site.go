package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"
)

//go:embed page.html
var layout string

//go:embed style.css
var style string

// chapters are the topics in the order in which they are read. A topic that none of
// them names comes in the last one.
var chapters = []chapter{
	{Title: "At the screen", topics: []string{"prompt", "approval", "screen", "overview", "keys", "panes"}},
	{Title: "The model", topics: []string{"models", "tools", "fleets", "mcp", "remember", "commands", "agents", "plugins", "hooks"}},
	{Title: "Targets", topics: []string{"hosts", "ssh_config", "containers", "shells"}},
	{Title: "Rules and record", topics: []string{"rules", "confinement", "record", "outcomes"}},
	{Title: "To look up", topics: []string{"configuration", "environment", "files", "status"}},
}

// chapter is a part of the contents.
type chapter struct {
	Title  string
	Pages  []*page
	topics []string
}

// ID is the chapter's anchor on the first page.
func (c chapter) ID() string { return slug(c.Title) }

// pictures are those of make shots, by the page on which they stand.
var pictures = map[string]picture{
	"index":    {File: "start.svg", Shows: "the start"},
	"approval": {File: "approval.svg", Shows: "a proposal on prod waits for the operator"},
	"keys":     {File: "palette.svg", Shows: "every command by name (Ctrl-P)"},
	"panes":    {File: "panes.svg", Shows: "three panes"},
	"screen":   {File: "light.svg", Shows: "on a light terminal"},
}

// picture is a file of .shots, and what it shows.
type picture struct{ File, Shows string }

// page is one file of the site.
type page struct {
	Name, Title, Short string // Name is that of the file without .html
	HTML               template.HTML
	Here               []anchor // what the page's own contents list
	text               string   // Markdown
}

// view is what the template gets of a page.
type view struct {
	*page
	Style          template.CSS
	Contents       []chapter
	Previous, Next *page
	Version        string
	Picture        picture // none has no file
}

// site returns the files of the site by their names, with the pictures of a folder.
func site(ask program, shots string) (map[string][]byte, error) {
	all, contents, err := read(ask)
	if err != nil {
		return nil, err
	}
	version, err := ask("version")
	if err != nil {
		return nil, err
	}
	t, err := template.New("page").Parse(layout)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for i, p := range all {
		v := view{page: p, Style: template.CSS(style), Contents: contents, Version: strings.Join(strings.Fields(version)[:2], " "), Picture: pictures[p.Name]}
		if v.Picture.File != "" {
			if files[v.Picture.File], err = os.ReadFile(filepath.Join(shots, v.Picture.File)); err != nil {
				return nil, fmt.Errorf("%w; make shots takes the pictures", err)
			}
		}
		if i > 0 {
			v.Previous = all[i-1]
		}
		if i+1 < len(all) {
			v.Next = all[i+1]
		}
		var text bytes.Buffer
		if err := t.Execute(&text, v); err != nil {
			return nil, err
		}
		files[p.Name+".html"] = text.Bytes()
	}
	return files, nil
}

// read returns all pages in the order in which they are read, and those behind the
// first by chapters.
func read(ask program) (all []*page, contents []chapter, err error) {
	root, err := ask("help")
	if err != nil {
		return nil, nil, err
	}
	intro, rest, _ := strings.Cut(root, "\nUsage:")
	_, topics, _ := strings.Cut(rest, "\nTopics (nod help TOPIC):\n")
	r := &reader{ask: ask, targets: map[string]string{}}
	if contents, err = r.topics(topics); err != nil {
		return nil, nil, err
	}
	commands, err := r.commands(root)
	if err != nil {
		return nil, nil, err
	}
	contents = append(contents, commands)
	all = []*page{{Name: "index", Title: "nod", text: ofHelp(intro, "")}}
	for _, c := range contents {
		all = append(all, c.Pages...)
	}
	for _, p := range all {
		if err := p.draw(); err != nil {
			return nil, nil, err
		}
		if p.Name == "keys" {
			r.learnKeys(p)
		}
	}
	for _, p := range all {
		r.link(p)
	}
	return all, contents, nil
}
