package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"
)

const (
	// maxReply bounds what a reply holds: text, reasoning and arguments together.
	maxReply = 16 << 20
	// maxStream bounds what is read for one reply. Each token travels in a chunk of some
	// 250 bytes, so it has to be a multiple of maxReply.
	maxStream = 16 * maxReply
	// maxDocument bounds an answer that is not a stream.
	maxDocument = 4 << 20
	// maxErrorBody bounds how much of an error page is read.
	maxErrorBody = 64 << 10
	// finishGrace is how long the rest of a stream may take once the reply is finished.
	finishGrace = 3 * time.Second
)

var (
	errNoHeader = errors.New("no response in time")
	errSilence  = errors.New("silence")
)

// exchange is one request and its response as the library sees them. It is what stands
// between the library and the network: it bounds time and size, refuses redirects, turns
// failures into *Error and lets only sound chunks through.
type exchange struct {
	c      *Client
	req    Request
	stream bool

	done   bool              // [DONE] was seen
	extras []json.RawMessage // of the chunk that the library reads now
	limits Limits
}

// Do implements the library's HTTPDoer. The library passes its errors on unchanged.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	for name, value := range x.c.cfg.Headers {
		req.Header.Set(name, value)
	}
	if session := x.c.session(x.req.Session); session != "" {
		req.Header.Set(x.c.cfg.SessionHeader, session)
	}
	if err := addExtras(req, x.req.Messages); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	watch := newWatch(ctx, cancel)
	watch.start(x.c.cfg.HeaderTimeout, errNoHeader)
	pauses := &lull{}
	resp, err := x.c.transport.RoundTrip(req.WithContext(pauses.trace(ctx)))
	watch.stop()
	if err != nil {
		err = x.c.connectionError(watch.cause(err))
		cancel(nil)
		return nil, err
	}
	x.limits = limitsOf(resp.Header, time.Now())
	body := &watched{r: resp.Body, watch: watch, limit: x.c.cfg.IdleTimeout}
	if err := x.accept(resp, body); err != nil {
		cancel(nil)
		_ = resp.Body.Close() // the answer is refused already
		return nil, err
	}
	if !x.stream {
		resp.Body = &document{r: io.LimitReader(body, maxDocument), body: resp.Body, cancel: cancel}
		return resp, nil
	}
	capped := &capped{r: &paced{r: body, ctx: ctx, pauses: pauses}, left: maxStream}
	resp.Body = &frames{x: x, events: newEventReader(capped), raw: body, body: resp.Body, cancel: cancel}
	return resp, nil
}

// streams are the types that servers give a stream, beside those of a document.
var streams = []string{
	"text/event-stream", "application/octet-stream", "application/stream+json", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-json-stream",
}

// accept looks at everything of a response but its body's content.
func (x *exchange) accept(resp *http.Response, body io.Reader) error {
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return x.c.redirectError(resp)
	case resp.StatusCode < 200 || resp.StatusCode >= 400:
		// A page that breaks off still says something; its status says the most.
		page, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
		return x.c.statusError(resp, page)
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	switch {
	case kind == "application/json" || kind == "" || kind == "text/plain":
		return nil // frames tells a document from a stream
	case x.stream && slices.Contains(streams, kind):
		return nil
	}
	return &Error{Kind: Malformed, Status: resp.StatusCode,
		Message: x.c.host + " answered with " + quote(kind) + " instead of a model's reply"}
}

// frames is the body that the library reads: one sound chunk per line.
type frames struct {
	x      *exchange
	events *eventReader
	raw    *watched
	body   io.Closer
	cancel context.CancelCauseFunc

	buf      bytes.Buffer
	begun    bool // the first byte was looked at
	pattern  pattern
	held     *read // what ended the last pieces
	any      bool
	finished bool
	err      error
}

// Read implements io.Reader. It returns io.EOF only at a true end of the stream or at
// [DONE]; whether the reply had finished by then is for the caller to judge.
func (f *frames) Read(p []byte) (int, error) {
	for f.buf.Len() == 0 && f.err == nil {
		f.err = f.fill()
	}
	if f.buf.Len() > 0 {
		return f.buf.Read(p)
	}
	return 0, f.err
}

func (f *frames) fill() error {
	ev, pieces, err := f.next()
	if pieces != nil {
		f.pass(f.pattern.join(pieces))
		return nil
	}
	switch {
	case errors.Is(err, io.EOF) && !f.any:
		return &Error{Kind: Truncated, again: true,
			Message: f.x.c.host + " ended its answer without a single piece of a reply"}
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil && f.finished:
		// The reply is complete; how the connection ends no longer matters.
		return io.EOF
	case err != nil:
		var known *Error
		if errors.As(err, &known) {
			return err
		}
		return f.x.c.streamError(err)
	case isDone(ev.data):
		f.x.done = true
		return io.EOF
	}
	fr, err := f.x.c.readFrame(ev, !f.any)
	if err != nil {
		return err
	}
	f.any = true
	f.pattern.learn(ev.data, fr)
	// The library asks for one chunk at a time, so these belong to the one that it gets now.
	f.x.extras = fr.extras
	if fr.finish {
		f.finished = true
		f.raw.limit = min(f.raw.limit, finishGrace)
	}
	f.pass(fr.data)
	return nil
}

// read is what came of reading an event.
type read struct {
	ev  event
	err error
}

// next is the next event, or the pieces of text of all that are like the last one and
// have come already.
func (f *frames) next() (ev event, pieces []byte, err error) {
	if r := f.held; r != nil {
		f.held = nil
		return r.ev, nil, r.err
	}
	for {
		ev, err := f.event()
		piece, like := f.pattern.piece(ev.data)
		switch {
		case err == nil && like && ev.name == "":
			if pieces == nil {
				pieces = []byte{} // the piece may be empty
			}
			pieces = append(pieces, piece...)
			if !f.events.ready() {
				return event{}, pieces, nil
			}
		case pieces == nil:
			return ev, nil, err
		default:
			ev.data = bytes.Clone(ev.data)
			f.held = &read{ev, err}
			return event{}, pieces, nil
		}
	}
}

// pass gives the library a chunk.
func (f *frames) pass(chunk []byte) {
	f.buf.Reset()
	f.buf.WriteString("data: ")
	f.buf.Write(chunk)
	f.buf.WriteByte('\n')
}

// event returns the next event. A server that answers with one document instead of a
// stream has said all of it in that.
func (f *frames) event() (event, error) {
	if f.begun {
		return f.events.next()
	}
	f.begun = true
	page, is, err := f.events.document()
	switch {
	case err != nil:
		return event{}, err
	case !is:
		return f.events.next()
	case first(page) == '{' && bytes.Contains(page, []byte(`"choices"`)) && json.Valid(page):
		f.x.done = true
		return event{data: page}, nil
	case bytes.Contains(page, []byte(`"choices"`)):
		if stream, ok := asEvents(page); ok {
			f.events = newEventReader(bytes.NewReader(stream))
			return f.events.next()
		}
	}
	return event{}, f.x.c.documentError(page)
}

// Close implements io.Closer.
func (f *frames) Close() error {
	f.cancel(nil)
	return f.body.Close()
}

// document is the bounded body of an answer that is no stream.
type document struct {
	r      io.Reader
	body   io.Closer
	cancel context.CancelCauseFunc
}

// Read implements io.Reader.
func (d *document) Read(p []byte) (int, error) { return d.r.Read(p) }

// Close implements io.Closer.
func (d *document) Close() error {
	d.cancel(nil)
	return d.body.Close()
}

// watch ends a request's context when something takes too long.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

func newWatch(ctx context.Context, cancel context.CancelCauseFunc) *watch {
	return &watch{ctx: ctx, cancel: cancel}
}

func (w *watch) start(limit time.Duration, cause error) {
	w.timer = time.AfterFunc(limit, func() { w.cancel(cause) })
}

func (w *watch) stop() { w.timer.Stop() }

// cause prefers the reason for which the context ended over the error that followed.
func (w *watch) cause(err error) error {
	if cause := context.Cause(w.ctx); cause != nil {
		return cause
	}
	return err
}

// watched bounds the time that each read may take.
type watched struct {
	r     io.Reader
	watch *watch
	limit time.Duration
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	w.watch.start(w.limit, errSilence)
	n, err := w.r.Read(p)
	w.watch.stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = w.watch.cause(err)
	}
	return n, err
}

var errStreamTooLong = errors.New("stream too long")

// capped is io.LimitReader with an error of its own at the limit.
type capped struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errStreamTooLong
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	return n, err
}

var (
	_ io.ReadCloser = (*frames)(nil)
	_ io.ReadCloser = (*document)(nil)
)
