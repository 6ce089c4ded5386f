package model

import (
	"bytes"
	"encoding/json"
)

// pattern is what the chunks of one reply have in common that carry nothing but a piece
// of its text: all but that piece, byte by byte. Servers send one for each token. Those
// that wait are read as one.
type pattern struct {
	sent around // as the server sends it
	read around // as the library gets it
}

// around is what stands before and behind the text of a chunk: up to its opening quote,
// and from the closing one on.
type around struct{ before, after []byte }

// learn takes the pattern from a chunk that was read as f. There is none if the chunk
// holds anything else than a piece of text, or if it cannot be told where that stands.
func (p *pattern) learn(chunk []byte, f frame) {
	*p = pattern{}
	if f.finish || f.extras != nil {
		return
	}
	sent, ok := textIn(chunk)
	if !ok {
		return
	}
	if read, ok := textIn(f.data); ok && onlyText(string(chunk)) == onlyText(string(f.data)) {
		p.sent, p.read = sent, read
	}
}

// textIn is what stands around the text of a chunk that has nothing else.
func textIn(chunk []byte) (a around, ok bool) {
	const key = `"content":`
	at := bytes.Index(chunk, []byte(key))
	if at < 0 {
		return a, false
	}
	at += len(key)
	at += len(chunk[at:]) - len(bytes.TrimLeft(chunk[at:], " "))
	if at == len(chunk) || chunk[at] != '"' {
		return a, false
	}
	end := bytes.IndexByte(chunk[at+1:], '"')
	if end < 0 {
		return a, false
	}
	end += at + 1
	before, after := chunk[:at+1], chunk[end:]
	if mark := "\u2402mark\u2403"; onlyText(string(before)+mark+string(after)) != mark { // it stands elsewhere, or has an escape
		return a, false
	}
	return around{bytes.Clone(before), bytes.Clone(after)}, true
}

// onlyText is the text of a chunk whose only choice carries a role and a text and
// nothing else.
func onlyText(chunk string) string {
	var c struct {
		Choices []struct {
			Delta map[string]any `json:"delta"`
		} `json:"choices"`
		Usage any `json:"usage"`
	}
	if json.Unmarshal([]byte(chunk), &c) != nil || len(c.Choices) != 1 || c.Usage != nil {
		return ""
	}
	for key, value := range c.Choices[0].Delta {
		if key != "content" && key != "role" && value != nil {
			return ""
		}
	}
	said, _ := c.Choices[0].Delta["content"].(string)
	return said
}

// piece is the text of a chunk that has the pattern, as the inside of a JSON string. The
// chunk is valid JSON.
func (p *pattern) piece(chunk []byte) (inside []byte, ok bool) {
	if p.sent.before == nil || len(chunk) < len(p.sent.before)+len(p.sent.after) ||
		!bytes.HasPrefix(chunk, p.sent.before) || !bytes.HasSuffix(chunk, p.sent.after) {
		return nil, false
	}
	inside = chunk[len(p.sent.before) : len(chunk)-len(p.sent.after)]
	for i := 0; i < len(inside); i++ {
		switch inside[i] {
		case '"':
			return nil, false
		case '\\':
			i++ // at the end, the closing quote would be what is escaped
			if i == len(inside) {
				return nil, false
			}
		}
	}
	return inside, true
}

// join is a chunk of the pattern with several pieces in one.
func (p *pattern) join(pieces []byte) []byte {
	chunk := make([]byte, 0, len(p.read.before)+len(pieces)+len(p.read.after))
	return append(append(append(chunk, p.read.before...), pieces...), p.read.after...)
}
