package model

import "strings"

// splitter tells thinking from speaking in a stream of text. Models without a reasoning
// field write <think>…</think>, [THINK]…[/THINK] or the like into their text; see
// families.
//
// An opening tag counts outside code fences. At the start of a line it begins thinking
// at once, to the end of the reply if it is never closed. Within a line, a reply may
// speak about the tag: then what follows is thinking if the closing tag comes, and else
// text that is not looked through for calls. A tag behind a quotation mark or a back
// quote is spoken about. How the text was cut into pieces makes no difference.
type splitter struct {
	held    string  // a piece that may be the beginning of a tag
	in      *family // what is thought in; nil while speaking
	doubt   bool    // the tag stood within a line, and may have been spoken about
	doubted strings.Builder
	begun   bool // something else than white space has come at all
	spoken  bool // something else than white space was said since the start or the last block
	midline bool // something else than white space stands on this line
	fenced  bool
	ticks   int  // back quotes at the start of this line
	before  byte // the last byte that was said
}

// add takes the next piece and returns what of it, and of what was held, is now certain.
func (s *splitter) add(piece string) (said, thought string) {
	return s.split(s.held+piece, false)
}

// end returns what was held. literal is the end of the text where it is not clear
// whether it was thought: it is shown, and no call in it counts.
func (s *splitter) end() (said, thought, literal string) {
	said, thought = s.split(s.held, true)
	return said, thought, s.doubted.String()
}

func (s *splitter) split(in string, last bool) (string, string) {
	s.held = ""
	var said, thought strings.Builder
	for i := 0; i < len(in); {
		f, n, maybe := s.tag(in[i:])
		switch {
		case maybe && !last:
			s.held = in[i:]
			return said.String(), thought.String()
		case n > 0 && s.in == nil:
			s.in, s.doubt = f, s.midline || f.opening
			if s.doubt {
				s.doubted.WriteString(in[i : i+n])
			}
			i += n
			s.begun = true
			continue
		case n > 0:
			if s.doubt {
				thought.WriteString(s.doubted.String()[len(s.in.open):])
				s.doubted.Reset()
			}
			i += n
			s.in, s.doubt = nil, false
			s.spoken, s.midline, s.ticks = false, false, 0
			continue
		}
		switch {
		case s.in != nil && s.doubt:
			s.doubted.WriteByte(in[i])
		case s.in != nil:
			thought.WriteByte(in[i])
		case s.speak(in[i]):
			said.WriteByte(in[i])
		}
		i++
	}
	return said.String(), thought.String()
}

// tag finds the tag that in begins with and that counts here; maybe is set if in is too
// short to tell.
func (s *splitter) tag(in string) (f *family, length int, maybe bool) {
	if s.in != nil {
		n, maybe := s.in.closes(in)
		return s.in, n, maybe
	}
	if s.fenced || strings.IndexByte(tagBytes, in[0]) < 0 || s.midline && strings.IndexByte("`'\"", s.before) >= 0 {
		return nil, 0, false
	}
	for i := range families {
		f := &families[i]
		if f.opening && s.begun {
			continue
		}
		n, more := hasFold(in, f.open)
		if n > 0 {
			return f, n, false
		}
		maybe = maybe || more
	}
	return nil, 0, maybe
}

// speak follows lines and fences, and says whether the byte belongs to the text: white
// space before the first word does not.
func (s *splitter) speak(b byte) bool {
	s.before = b
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
		s.midline, s.spoken, s.begun = true, true, true
	}
	return s.spoken
}

// hasFold returns the length of prefix if in begins with it in whatever case, or whether
// in is too short to tell.
func hasFold(in, prefix string) (length int, maybe bool) {
	if len(in) >= len(prefix) {
		if strings.EqualFold(in[:len(prefix)], prefix) {
			return len(prefix), false
		}
		return 0, false
	}
	return 0, strings.EqualFold(in, prefix[:len(in)])
}

// maxOrphans bounds how many closing tags of one sort are looked at.
const maxOrphans = 64

// splitOrphan handles a reply whose opening tag was part of the prompt's template, so that
// only the closing one arrived. What stands before the last such tag was thought.
func splitOrphan(said string) (rest, thought string) {
	at, end := -1, 0
	small := lower(said)
	for _, f := range families {
		for _, tag := range f.close {
			if !f.mayStandAlone(tag) {
				continue
			}
			before := small
			tag = lower(tag)
			for range maxOrphans {
				i := strings.LastIndex(before, tag)
				if i <= at {
					break
				}
				if closing(said[:i], said[i+len(tag):]) {
					at, end = i, i+len(tag)
				}
				before = small[:i]
			}
		}
	}
	if at < 0 {
		return said, ""
	}
	return strings.TrimLeft(said[end:], " \t\r\n"), said[:at]
}

// lower writes the letters of ASCII small, so that no byte moves.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// closing reports whether a closing tag between two texts closes something, and is not
// spoken about: in a code fence, quoted, or in the middle of a sentence.
func closing(before, after string) bool {
	if fenced(before) {
		return false
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.TrimSpace(line) == "" {
		return true
	}
	switch last := line[len(line)-1]; last {
	case '`', '\'', '"':
		return false
	case ' ', '\t':
		after = strings.TrimLeft(after, " \t\r")
		return after == "" || strings.IndexByte("\n<[", after[0]) >= 0
	}
	return true
}

// fenced reports whether a code fence is open at the end of a text.
func fenced(text string) bool {
	open := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "```") {
			open = !open
		}
	}
	return open
}
