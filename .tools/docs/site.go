package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

//go:embed page.html
var layout string

//go:embed style.css
var style string

// chapters are the topics in the order in which they are read. A topic that none of
// them names comes in the last one.
var chapters = []chapter{
	{Title: "At the screen", topics: []string{"prompt", "approval", "screen", "keys", "panes"}},
	{Title: "The model", topics: []string{"models", "tools", "mcp", "remember", "commands", "agents", "plugins", "hooks"}},
	{Title: "Targets", topics: []string{"hosts", "ssh_config", "containers", "shells"}},
	{Title: "Rules and record", topics: []string{"rules", "confinement", "record", "outcomes"}},
	{Title: "To look up", topics: []string{"configuration", "environment", "files", "status"}},
}

type chapter struct {
	Title  string
	Pages  []*page
	topics []string
}

// ID is the chapter's anchor on the first page.
func (c chapter) ID() string { return slug(c.Title) }

// places say which picture stands on which page.
var places = map[string]string{"index": "start", "approval": "approval", "keys": "palette", "panes": "panes", "screen": "light"}

// page is one file of the site.
type page struct {
	Name, Title, Short string // Name is that of the file without .html
	HTML               template.HTML
	Here               []anchor // what the page's own contents list
	Picture            *picture
}

// view is what the template gets of a page.
type view struct {
	*page
	Style          template.CSS
	Contents       []chapter
	Previous, Next *page
	Version        string
}

// site returns the files of the site by their names.
func site(ask program, pictures map[string]picture) (map[string][]byte, error) {
	r := &reader{ask: ask, targets: map[string]string{}}
	contents, all, err := r.read()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, p := range pictures {
		at := slices.IndexFunc(all, func(p *page) bool { return places[p.Name] == name })
		if at < 0 {
			return nil, fmt.Errorf("the picture %s has no page; give it one in places (site.go)", p.File)
		}
		all[at].Picture = &p
		files[p.File] = p.svg
	}
	version, err := ask("version")
	if err != nil {
		return nil, err
	}
	t, err := template.New("page").Parse(layout)
	if err != nil {
		return nil, err
	}
	for i, p := range all {
		v := view{page: p, Style: template.CSS(style), Contents: contents, Version: strings.Join(strings.Fields(version)[:2], " ")}
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
