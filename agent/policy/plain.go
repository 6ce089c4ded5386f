package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nod-console/nod/tools/risk"
	"mvdan.cc/sh/v3/syntax"
)

// plain returns the words of text if it is exactly one simple command that every
// shell reads alike: nothing is expanded, redirected, assigned or chained.
func plain(text string, dialect risk.Dialect) []string {
	if dialect == risk.Fish && strings.ContainsAny(text, "\\\"'()#^%") {
		return nil
	}
	if strings.ContainsFunc(text, unseen) || !utf8.ValidString(text) {
		return nil // the parser passes over some of these, and shells do as they like
	}
	file, err := risk.Parse(text, dialect)
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	call := simple(file.Stmts[0])
	if call == nil {
		return nil
	}
	if len(call.Args) == 0 || call.Args[0].Lit() == "" {
		return nil // nobody quotes a program's name who wants it read
	}
	words := make([]string, 0, len(call.Args))
	for _, w := range call.Args {
		text, ok := fixed(w)
		if !ok {
			return nil
		}
		words = append(words, text)
	}
	return words
}

// simple is the command of a statement that has nothing else; nil if it has.
func simple(stmt *syntax.Stmt) *syntax.CallExpr {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) > 0 || len(call.Assigns) > 0 {
		return nil
	}
	return call
}

// unseen reports control characters that are no space.
func unseen(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// fixed is a word that no shell changes.
func fixed(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "\\*?[]{}~!^=#") && !option(p.Value) {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || p.Dollar || strings.ContainsAny(lit.Value, "\\!") {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// option is a word such as --lines=20, whose "=" expands nothing.
func option(s string) bool {
	return strings.HasPrefix(s, "-") && !strings.ContainsAny(s, "\\*?[]{}~!^#")
}
