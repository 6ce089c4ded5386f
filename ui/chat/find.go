package chat

import (
	"strings"
)

// mostFound is how many lines Find returns at most.
const mostFound = 5000

// Found is a line of the transcript.
type Found struct {
	Text  string
	block int
	of    block
}

// Find returns the lines that have all the words, in any case, the latest first; all
// lines if there is no word.
func (t *Transcript) Find(words string) []Found {
	wanted := strings.Fields(strings.ToLower(words))
	var found []Found
	for i := len(t.blocks) - 1; i >= 0 && len(found) < mostFound; i-- {
		lines := strings.Split(t.blocks[i].raw(), "\n")
		for n := len(lines) - 1; n >= 0; n-- {
			if text := strings.TrimSpace(lines[n]); text != "" && hasAll(text, wanted) {
				found = append(found, Found{text, i, t.blocks[i]})
			}
		}
	}
	return found
}

func hasAll(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Reveal chooses the entry of a line and shows it, if it is still there.
func (t *Transcript) Reveal(f Found) {
	if f.block < len(t.blocks) && t.blocks[f.block] == f.of {
		t.selected = f.block
		t.follow = false // start follows again if nothing is left below
		t.reveal(f.block)
	}
}

// Code is a block of code of the chosen entry, else of the last piece of the answer:
// another one with each call. n counts from 1; all is how many there are.
func (t *Transcript) Code() (text string, n, all int) {
	blocks := fenced(t.Raw())
	if len(blocks) == 0 {
		return "", 0, 0
	}
	if t.coded.selected != t.selected || t.coded.n >= len(blocks) {
		t.coded = coded{selected: t.selected}
	}
	t.coded.n++
	return blocks[t.coded.n-1], t.coded.n, len(blocks)
}

// coded is which block of code was copied last.
type coded struct{ selected, n int }

// fenced are the blocks of code in a Markdown text, without their fences.
func fenced(text string) []string {
	var all []string
	var body []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		switch {
		case fence == "" && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")):
			fence, body = bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))], nil
		case fence != "" && strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]+" ") == "":
			all, fence = append(all, strings.Join(body, "\n")), ""
		case fence != "":
			body = append(body, line)
		}
	}
	if fence != "" { // it is still streaming
		all = append(all, strings.Join(body, "\n"))
	}
	return all
}

// Markdown is the whole transcript as a document.
func (t *Transcript) Markdown() string {
	var b strings.Builder
	for _, one := range t.blocks {
		text := strings.TrimSpace(one.raw())
		if text == "" {
			continue
		}
		switch one := one.(type) {
		case *said:
			b.WriteString("## " + strings.ReplaceAll(text, "\n", "\n\n") + "\n\n")
		case *answer:
			b.WriteString(text + "\n\n")
		case *thought: // not a part of what was answered
		case *card:
			b.WriteString(one.markdown())
		default:
			b.WriteString("> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n\n")
		}
	}
	return b.String()
}

// markdown is a call as a document has it: what ran where, how it ended, and what it
// said, in a fence that nothing in it can end.
func (c *card) markdown() string {
	text := strings.TrimSpace(c.raw())
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	head := "**" + c.tool + "**"
	if c.target != "" {
		head += " on " + c.target
	}
	if c.phase == finished && c.result.Outcome != "" {
		head += ": " + c.result.Outcome
	}
	return head + "\n\n" + fence + "\n" + text + "\n" + fence + "\n\n"
}
