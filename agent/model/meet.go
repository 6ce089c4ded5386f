package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/agent/contact"
)

// How long a server may take to say what it is, with all that it is asked.
const meetTimeout = 4 * time.Second

// meeting is how far the acquaintance with the server has come.
type meeting struct {
	mu    sync.Mutex
	done  bool
	again bool        // it was asked anew after an answer
	met   atomic.Bool // it was asked at all
}

// Meet asks the server what it takes, unless it was asked before: by this client, or where
// Config.Known has a recent answer of a server that is not at home. It returns what the
// operator should know of that, for a line; mostly nothing. It takes 4 seconds at most. A
// server that says nothing is no error: then the first request is sent as to any other.
func (c *Client) Meet(ctx context.Context) string {
	if c.cfg.Known == nil {
		return ""
	}
	c.meeting.mu.Lock()
	defer c.meeting.mu.Unlock()
	if c.meeting.done {
		return ""
	}
	kept, known := c.cfg.Known.Load(c.cfg.BaseURL, c.cfg.Model)
	local := contact.Local(c.cfg.BaseURL)
	if known && !local && !kept.Passing {
		c.meeting.done = true
		c.habits.adopt(kept)
		return ""
	}
	asking, cancel := context.WithTimeout(ctx, meetTimeout)
	defer cancel()
	f, err := contact.Ask(asking, contact.Server{Base: c.cfg.BaseURL, Model: c.cfg.Model, Key: c.cfg.APIKey, Do: c.page})
	if ctx.Err() != nil || err != nil && asking.Err() == nil && !errors.Is(err, contact.ErrSilent) {
		return "" // nothing was reached: the request will say why
	}
	c.meeting.done = true
	c.meeting.met.Store(true)
	c.habits.mu.Lock()
	defer c.habits.mu.Unlock()
	c.habits.facts = merge(f, c.habits.facts)
	c.keep(c.habits.facts)
	if !known && local && c.cfg.ContextLimit == 0 && c.habits.facts.Context == 0 {
		return fmt.Sprintf("%s does not say how much context %s has: %d tokens are assumed. If it has more, set context_limit for this model",
			c.host, quote(c.cfg.Model), contact.Assumed)
	}
	return ""
}

// merge is what a server says now, with what is known of it from before.
func merge(now, before contact.Facts) contact.Facts {
	if now.Context == 0 && before.Source != "" {
		now.Context, now.Source, now.Passing = before.Context, before.Source, before.Passing
	}
	if now.Server == "" || before.Server == "" || now.Server == before.Server {
		now.Refuses = now.Refuses.With(before.Refuses)
	}
	return now
}

// answered has the server asked once more, if it knows better now.
func (c *Client) answered() {
	if !c.habits.now().Passing {
		return
	}
	c.meeting.mu.Lock()
	defer c.meeting.mu.Unlock()
	if !c.meeting.again {
		c.meeting.again, c.meeting.done = true, false
	}
}

// keep stores facts. What cannot be stored is known until nod ends.
func (c *Client) keep(f contact.Facts) {
	_ = c.cfg.Known.Save(c.cfg.BaseURL, c.cfg.Model, f)
}

// Learnt says what is known of the server, and how it is written to, in words.
func (c *Client) Learnt() []string {
	return c.habits.now().Lines(c.ContextLimit(), c.manner().inText)
}

// ContextLimit is the model's context in tokens: the smaller one of what is configured and
// what the server says. Where neither is there, it is contact.Assumed for an address at
// home whose server was asked, and 0 for all others.
func (c *Client) ContextLimit() int {
	f := c.habits.now()
	limit := c.cfg.ContextLimit
	if f.Context > 0 && (limit == 0 || f.Context < limit && !f.Passing) {
		limit = f.Context
	}
	if limit == 0 && c.cfg.Known != nil && contact.Local(c.cfg.BaseURL) && c.meeting.met.Load() {
		return contact.Assumed
	}
	return limit
}

// page makes a request that is no chat, and returns its page, 4 MiB at most. Redirects
// are not followed.
func (c *Client) page(ctx context.Context, method, address string, header http.Header, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(string(body)))
	if err != nil {
		return 0, nil, fmt.Errorf("model: %w", err)
	}
	if c.cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.APIKey)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range c.cfg.Headers {
		req.Header.Set(name, value)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return 0, nil, c.connectionError(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	page, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument))
	if err != nil {
		return 0, nil, c.streamError(err)
	}
	return resp.StatusCode, page, nil
}
