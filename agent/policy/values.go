package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// values are the variables that are known. Everything else that a shell would
// fill in counts as empty, which leaves the parts of a word that are spelled
// out side by side: "/srv/$(hostname)/.env" still ends in ".env".
type values map[string]string

// maxBraces bounds the braces in a word that are expanded; each may double the
// number of words.
const maxBraces = 6

// of is what a word becomes: one text, or several if it has braces.
func (v values) of(w *syntax.Word) []string {
	split := &syntax.Word{Parts: slices.Clone(w.Parts)}
	syntax.SplitBraces(split)
	if n := braces(split.Parts); n == 0 || n > maxBraces {
		return []string{v.text(w.Parts)}
	}
	var all []string
	for one, err := range expand.BracesSeq(&expand.Config{}, split) {
		if err != nil { // too many: then as it is written
			return []string{v.text(w.Parts)}
		}
		all = append(all, v.text(one.Parts))
	}
	return all
}

// braces counts brace expressions; a sequence such as {1..9} counts as too many.
func braces(parts []syntax.WordPart) int {
	n := 0
	for _, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		if b.Sequence || len(b.Elems) > 16 {
			return maxBraces + 1
		}
		n += 1 + len(b.Elems)/4
		for _, e := range b.Elems {
			n += braces(e.Parts)
		}
	}
	return n
}

func (v values) text(parts []syntax.WordPart) string {
	var b strings.Builder
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(v.literal(p.Value, i == 0))
		case *syntax.SglQuoted:
			b.WriteString(single(p))
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				if lit, ok := inner.(*syntax.Lit); ok {
					b.WriteString(unescape(lit.Value, "\\\"$`\n"))
				} else {
					b.WriteString(v.text([]syntax.WordPart{inner}))
				}
			}
		case *syntax.ParamExp:
			b.WriteString(v.parameter(p))
		case *syntax.ExtGlob:
			b.WriteString("(" + p.Pattern.Value + ")")
		}
	}
	return b.String()
}

// literal is unquoted text; at the start of a word "~" is the home folder.
func (v values) literal(text string, first bool) string {
	home := ""
	if first && (text == "~" || strings.HasPrefix(text, "~/")) {
		home, text = v["HOME"], text[1:]
	}
	return home + unescape(text, "")
}

// unescape removes backslashes before any character, or before those only.
func unescape(text, only string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (only == "" || strings.IndexByte(only, text[i+1]) >= 0) {
			i++
			if text[i] == '\n' {
				continue // a line that goes on
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// single is a text in single quotes, $'…' decoded.
func single(p *syntax.SglQuoted) string {
	if !p.Dollar {
		return p.Value
	}
	text, err := expand.Literal(&expand.Config{}, &syntax.Word{Parts: []syntax.WordPart{p}})
	if err != nil {
		return p.Value
	}
	return text
}

// parameter is a variable's value, or its default if it has none.
func (v values) parameter(p *syntax.ParamExp) string {
	if p.Param != nil {
		if known, ok := v[p.Param.Value]; ok {
			return known
		}
	}
	if p.Exp != nil && p.Exp.Word != nil {
		return v.text(p.Exp.Word.Parts)
	}
	return ""
}
