package skill

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// value is what stands behind a key of front matter.
type value struct {
	text   string
	list   []string
	isList bool
}

// front takes SKILL.md apart: the keys of its front matter, and the rest.
func front(text string) (keys map[string]value, body string, err error) {
	head, body, err := cutFront(text)
	if err != nil {
		return nil, "", err
	}
	lines := strings.Split(head, "\n")
	keys = map[string]value{}
	for i := 0; i < len(lines); {
		line := lines[i]
		i++
		if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		key, after, ok := cutKey(line)
		if !ok {
			return nil, "", fmt.Errorf("front matter line %d: %q is no key with a value", i, line)
		}
		if _, twice := keys[key]; twice {
			return nil, "", fmt.Errorf("front matter line %d: %q is there twice", i, key)
		}
		from := i
		for i < len(lines) && goesOn(lines[i]) {
			i++
		}
		v, err := valueOf(after, lines[from:i])
		if err != nil {
			if !counts[key] {
				continue
			}
			return nil, "", fmt.Errorf("front matter line %d: %s: %w", from, key, err)
		}
		keys[key] = v
	}
	return keys, strings.TrimSpace(body), nil
}

// cutFront cuts a text into its front matter and the rest.
func cutFront(text string) (head, body string, err error) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\uFEFF")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", "", errors.New(`the first line is not "---": there is no front matter`)
	}
	head, body, ok = strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix("\n"+strings.TrimRight(rest, "\n"), "\n---"); !ok {
			return "", "", errors.New(`the front matter has no end: a second line "---" is missing`)
		}
	}
	return head, body, nil
}

// cutKey cuts a line into its key and what stands behind that.
func cutKey(line string) (key, after string, ok bool) {
	key, after, ok = strings.Cut(line, ":")
	if !ok || strings.TrimSpace(key) != key || key == "" || after != "" && after[0] != ' ' && after[0] != '\t' {
		return "", "", false
	}
	return key, strings.TrimSpace(after), true
}

// goesOn reports whether a line belongs to the key above it.
func goesOn(line string) bool {
	return strings.TrimSpace(line) == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "- ")
}

// counts are the keys that nod reads.
var counts = map[string]bool{"name": true, "description": true, "version": true, "tags": true, "tools": true}

// valueOf reads a value: what stands behind the key and in the lines below.
func valueOf(first string, below []string) (value, error) {
	var lines []string
	for _, l := range below {
		lines = append(lines, strings.TrimSpace(l))
	}
	if sep, ok := blocks[first]; ok {
		return value{text: strings.TrimSpace(strings.Join(lines, sep))}, nil
	}
	switch {
	case strings.HasPrefix(first, "["):
		inner, ok := strings.CutSuffix(first[1:], "]")
		if !ok {
			return value{}, errors.New("the list has no end on its line")
		}
		return listOf(splitList(inner))
	case first == "" || strings.HasPrefix(first, "#"):
		return listBelow(lines)
	case strings.ContainsAny(first[:1], "{&*!%@`"):
		return value{}, fmt.Errorf("%q is not understood; quote it", first)
	}
	text, err := scalar(first)
	if err != nil {
		return value{}, err
	}
	for _, l := range lines { // a plain text goes on below
		if l != "" {
			text += " " + l
		}
	}
	return value{text: text}, nil
}

// blocks are the signs for a text in the lines below, with what stands between these.
var blocks = map[string]string{"|": "\n", "|-": "\n", "|+": "\n", ">": " ", ">-": " ", ">+": " "}

// listBelow reads a list with one item a line.
func listBelow(lines []string) (value, error) {
	var items []string
	for _, l := range lines {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		item, ok := strings.CutPrefix(l, "- ")
		if !ok {
			return value{}, fmt.Errorf("%q is no item of a list", l)
		}
		items = append(items, item)
	}
	return listOf(items)
}

func listOf(items []string) (value, error) {
	v := value{isList: true, list: []string{}}
	for _, item := range items {
		text, err := scalar(strings.TrimSpace(item))
		if err != nil {
			return value{}, err
		}
		if text != "" {
			v.list = append(v.list, text)
		}
	}
	return v, nil
}

// splitList cuts at commas outside of quotes.
func splitList(text string) []string {
	var all []string
	var quote byte
	from := 0
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ',':
			all = append(all, text[from:i])
			from = i + 1
		}
	}
	return append(all, text[from:])
}

// scalar reads a quoted or a plain text.
func scalar(text string) (string, error) {
	switch {
	case text == "":
		return "", nil
	case text[0] == '"':
		inner, rest, ok := cutQuoted(text)
		if !ok || !isComment(rest) {
			return "", fmt.Errorf("%s is not closed", text)
		}
		unquoted, err := strconv.Unquote(inner)
		if err != nil {
			return "", fmt.Errorf("%s is not understood", text)
		}
		return unquoted, nil
	case text[0] == '\'':
		end := 1
		for end < len(text) {
			if text[end] == '\'' {
				if end+1 < len(text) && text[end+1] == '\'' {
					end += 2
					continue
				}
				break
			}
			end++
		}
		if end >= len(text) || !isComment(text[end+1:]) {
			return "", fmt.Errorf("%s is not closed", text)
		}
		return strings.ReplaceAll(text[1:end], "''", "'"), nil
	}
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text), nil
}

func cutQuoted(text string) (inner, rest string, ok bool) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[:i+1], text[i+1:], true
		}
	}
	return "", "", false
}

func isComment(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest == "" || strings.HasPrefix(rest, "#")
}
