package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine bounds one line and one event of a stream.
const maxLine = 4 << 20

var errLineTooLong = errors.New("line too long")

// event is one server-sent event that carries data.
type event struct {
	name string // "" unless the server named it
	data []byte // valid until the next call of next
}

// eventReader reads server-sent events as the HTML standard has them (section 9.2), with
// two differences that servers in use call for: a data line that is a whole JSON value, or
// [DONE], is an event even when no blank line follows it; and a carriage return only ends a
// line together with a line feed, since JSON has none of its own.
//
// A line without its end is never an event: it may have been cut.
type eventReader struct {
	r       *bufio.Reader
	line    []byte
	pending []byte
	name    string
	begun   bool
}

func newEventReader(r io.Reader) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(r, readBuffer)}
}

// next returns the next event, io.EOF at the end of the stream, errLineTooLong, or the
// reader's error.
func (e *eventReader) next() (event, error) {
	for {
		line, err := e.readLine()
		if err != nil {
			return event{}, err
		}
		if len(line) == 0 {
			ev := event{name: e.name, data: e.pending}
			e.name, e.pending = "", nil
			if len(ev.data) > 0 {
				return ev, nil
			}
			continue
		}
		field, value := splitField(line)
		switch field {
		case "event":
			e.name = string(value)
		case "data":
			for bytes.HasPrefix(value, []byte("data:")) { // some proxies say it twice
				_, value = splitField(value)
			}
			if len(e.pending) == 0 && whole(value) {
				return event{name: e.name, data: value}, nil
			}
			if len(e.pending)+len(value) >= maxLine {
				return event{}, errLineTooLong
			}
			if e.pending != nil {
				e.pending = append(e.pending, '\n')
			}
			e.pending = append(e.pending, value...)
		}
	}
}

// document returns what is left, if it begins like a JSON document and not like an
// event. It bounds it as one line.
func (e *eventReader) document() (page []byte, is bool, err error) {
	e.blank()
	begin, err := e.r.Peek(1)
	if err != nil || begin[0] != '{' && begin[0] != '[' {
		return nil, false, nil // next tells of an error
	}
	page, err = io.ReadAll(io.LimitReader(e.r, maxLine+1))
	if err == nil && len(page) > maxLine {
		err = errLineTooLong
	}
	return page, true, err
}

// blank skips what says nothing before the first byte that does: a byte order mark, white
// space.
func (e *eventReader) blank() {
	if mark, err := e.r.Peek(1); err == nil && mark[0] == bom[0] {
		if mark, err = e.r.Peek(len(bom)); err == nil && string(mark) == bom {
			_, _ = e.r.Discard(len(bom)) // they were there a moment ago
		}
	}
	for {
		next, err := e.r.Peek(1)
		if err != nil || bytes.IndexByte([]byte(" \t\r\n"), next[0]) < 0 {
			return
		}
		_, _ = e.r.Discard(1)
	}
}

// asEvents makes events of a document that has one JSON value a line; ok is false for any
// other. What is in it has all come, so nothing is gained by showing it in pieces.
func asEvents(page []byte) (stream []byte, ok bool) {
	for line := range bytes.Lines(page) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !whole(line) {
			return nil, false
		}
		stream = append(append(append(stream, "data: "...), line...), '\n')
	}
	return stream, true
}

// bom is a byte order mark in UTF-8.
const bom = "\xef\xbb\xbf"

// ready reports whether a line of data is next and can be read without waiting for it.
func (e *eventReader) ready() bool {
	waiting, _ := e.r.Peek(e.r.Buffered())
	waiting = bytes.TrimLeft(waiting, "\r\n")
	return bytes.HasPrefix(waiting, []byte("data:")) && bytes.IndexByte(waiting, '\n') >= 0
}

// readLine returns one line without its end.
func (e *eventReader) readLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		part, err := e.r.ReadSlice('\n')
		if len(e.line)+len(part) > maxLine {
			return nil, errLineTooLong
		}
		e.line = append(e.line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		line := bytes.TrimSuffix(e.line[:len(e.line)-1], []byte("\r"))
		if !e.begun {
			e.begun = true
			line = bytes.TrimPrefix(line, []byte(bom))
		}
		return line, nil
	}
}

func splitField(line []byte) (string, []byte) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	return string(field), bytes.TrimPrefix(value, []byte(" "))
}

func whole(data []byte) bool {
	return isDone(data) || json.Valid(data)
}

func isDone(data []byte) bool {
	return string(bytes.TrimSpace(data)) == "[DONE]"
}
