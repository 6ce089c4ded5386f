package model

import "strings"

// splitter tells thinking from speaking in a stream of text. Models without a reasoning
// field write <think>…</think> (or <thinking>) into their text.
//
// An opening tag counts only at the start of a line and outside code fences, so that a
// reply may speak about the tag. A closing tag counts wherever thinking is going on. A
// block that is never closed is thinking to the end. How the text was cut into pieces
// makes no difference.
type splitter struct {
	held     string // a piece that may be the beginning of a tag
	thinking bool
	spoken   bool // something else than white space was said since the start or the last block
	midline  bool // something else than white space stands on this line
	fenced   bool
	ticks    int // back quotes at the start of this line
}

var (
	openTags  = []string{"<think>", "<thinking>"}
	closeTags = []string{"</think>", "</thinking>"}
)

// add takes the next piece and returns what of it, and of what was held, is now certain.
func (s *splitter) add(piece string) (said, thought string) {
	return s.split(s.held+piece, false)
}

// end returns what was held: a beginning of a tag that never became one.
func (s *splitter) end() (said, thought string) {
	return s.split(s.held, true)
}

func (s *splitter) split(in string, last bool) (string, string) {
	s.held = ""
	var said, thought strings.Builder
	for i := 0; i < len(in); {
		if in[i] == '<' && (s.thinking || !s.midline && !s.fenced) {
			tags := openTags
			if s.thinking {
				tags = closeTags
			}
			tag, maybe := matchTag(in[i:], tags)
			if maybe && !last {
				s.held = in[i:]
				break
			}
			if tag > 0 {
				i += tag
				s.thinking = !s.thinking
				s.spoken, s.midline, s.ticks = false, false, 0
				continue
			}
		}
		if s.thinking {
			thought.WriteByte(in[i])
		} else if s.speak(in[i]) {
			said.WriteByte(in[i])
		}
		i++
	}
	return said.String(), thought.String()
}

// speak follows lines and fences, and says whether the byte belongs to the text: white
// space before the first word does not.
func (s *splitter) speak(b byte) bool {
	switch b {
	case '\n':
		s.midline, s.ticks = false, 0
	case ' ', '\t', '\r':
		s.ticks = 0
	default:
		if b == '`' && (!s.midline || s.ticks > 0) {
			if s.ticks++; s.ticks == 3 {
				s.fenced = !s.fenced
			}
		} else {
			s.ticks = 0
		}
		s.midline, s.spoken = true, true
	}
	return s.spoken
}

// matchTag returns the length of the tag that in begins with, or whether in is too short
// to tell.
func matchTag(in string, tags []string) (length int, maybe bool) {
	for _, tag := range tags {
		if len(in) >= len(tag) {
			if strings.EqualFold(in[:len(tag)], tag) {
				return len(tag), false
			}
		} else if strings.EqualFold(in, tag[:len(in)]) {
			maybe = true
		}
	}
	return 0, maybe
}

// splitOrphan handles a reply whose opening tag was part of the prompt's template, so that
// only the closing one arrived, at the start of a line or of the text. What stands before
// it was thought.
func splitOrphan(said string) (rest, thought string) {
	for _, tag := range closeTags {
		i := strings.Index(said, tag)
		if i < 0 || strings.Contains(said[:i], "```") {
			continue
		}
		if line := said[strings.LastIndexByte(said[:i], '\n')+1 : i]; strings.TrimSpace(line) != "" {
			continue
		}
		return strings.TrimLeft(said[i+len(tag):], " \t\r\n"), said[:i]
	}
	return said, ""
}
