package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
)

// Kinds of an Event.
const (
	Output = 'o'
	Resize = 'r'
	Mark   = 'm'
)

// Event is one line of a recording.
type Event struct {
	At   time.Duration // since the beginning of the file
	Kind byte          // Output, Resize or Mark; other players know more
	Text string
}

// Header is the first line of a recording.
type Header struct {
	Version   int               `json:"version"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	Timestamp int64             `json:"timestamp,omitempty"` // seconds since 1970
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Nod       *Origin           `json:"nod,omitempty"` // nil if it is not nod's
}

// Origin is where a recording comes from.
type Origin struct {
	Target  string `json:"target"`
	Session string `json:"session,omitempty"`
	Pane    string `json:"pane,omitempty"`
	// Part is the number of the file, from 1, and Begins when it begins, since
	// the beginning of the first.
	Part   int     `json:"part"`
	Begins float64 `json:"begins"` // seconds
}

// Words that begin a mark's text.
const (
	runWord = "run: "
	gapWord = "gap: "
)

// mostMarked bounds the text of a mark, in bytes.
const mostMarked = 16 << 10

func beginning(command string) string { return clip(runWord + command) }

func ending(command string, outcome backends.Outcome) string {
	return clip(outcome.String() + ": " + command)
}

func clip(text string) string {
	if len(text) <= mostMarked {
		return text
	}
	return strings.ToValidUTF8(text[:mostMarked], "") + "…"
}

// Begins is the command that a mark says begins here.
func (e Event) Begins() (command string, ok bool) {
	if e.Kind != Mark {
		return "", false
	}
	return strings.CutPrefix(e.Text, runWord)
}

// Ends is how a command has ended here ("exited 0"), if a mark says so.
func (e Event) Ends() (outcome, command string, ok bool) {
	if e.Kind != Mark {
		return "", "", false
	}
	outcome, command, ok = strings.Cut(e.Text, ": ")
	word, _, _ := strings.Cut(outcome, " ")
	return outcome, command, ok && (word == "exited" || word == "signalled" || word == "unknown")
}

// Gap says why something is missing here, if a mark says that it is.
func (e Event) Gap() (why string, ok bool) {
	if e.Kind != Mark {
		return "", false
	}
	return strings.CutPrefix(e.Text, gapWord)
}

// Size is the new size of a Resize.
func (e Event) Size() (size backends.Size, err error) {
	cols, rows, ok := strings.Cut(e.Text, "x")
	if ok {
		if size.Cols, err = strconv.Atoi(cols); err == nil {
			size.Rows, err = strconv.Atoi(rows)
		}
	}
	if !ok || err != nil || size.Cols < 1 || size.Rows < 1 {
		return backends.Size{}, fmt.Errorf("%q is not a size", e.Text)
	}
	return size, nil
}

func sizeText(size backends.Size) string { return fmt.Sprintf("%dx%d", size.Cols, size.Rows) }

// appendEvent appends a line: [seconds, "kind", "text"].
func appendEvent(b []byte, at time.Duration, kind byte, text []byte) []byte {
	b = append(b, '[')
	b = strconv.AppendFloat(b, max(at, 0).Seconds(), 'f', 6, 64)
	b = append(b, `, "`...)
	b = append(b, kind, '"', ',', ' ')
	b = appendString(b, text)
	return append(b, ']', '\n')
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string. What is no UTF-8 becomes U+FFFD.
func appendString(b, text []byte) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRune(text[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		} else if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		b = append(b, text[from:i]...)
		i++
		from = i
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			if c >= utf8.RuneSelf {
				b = append(b, "\ufffd"...)
			} else {
				b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
		}
	}
	b = append(b, text[from:]...)
	return append(b, '"')
}

// unfinished is how many bytes at the end of p are the beginning of a
// character.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// mostSeconds is the latest time that an event may have: thirty years.
const mostSeconds = 1e9

// parseEvent reads a line of version 2 or 3. In 3, times are intervals.
func parseEvent(line []byte) (e Event, err error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(line, &parts); err != nil {
		return e, err
	}
	var seconds float64
	var kind string
	if len(parts) != 3 {
		return e, errors.New("want three parts: time, kind, text")
	}
	if err := errors.Join(json.Unmarshal(parts[0], &seconds), json.Unmarshal(parts[1], &kind), json.Unmarshal(parts[2], &e.Text)); err != nil {
		return e, err
	}
	if len(kind) != 1 || seconds < 0 || seconds > mostSeconds {
		return e, fmt.Errorf("kind %q at %g seconds", kind, seconds)
	}
	e.At, e.Kind = time.Duration(seconds*float64(time.Second)), kind[0]
	return e, nil
}
