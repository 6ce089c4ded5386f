package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/cenkalti/backoff/v5"
	openai "github.com/sashabaranov/go-openai"
)

// maxRetryAfter is the longest pause that a server can ask for and get.
const maxRetryAfter = 60 * time.Second

// Stream sends a request and passes the reply on as it comes. It blocks until the reply
// ends. The sink, which may be nil, is called on the caller's goroutine, in order, and
// never after Stream has returned. The Reply is what counts: its text can differ from the
// deltas' in leading and trailing white space and where thinking was recognised late.
//
// On an error the Reply holds the text that came and no calls. The error is the context's
// own (ctx.Err()) when the context ended, otherwise an *Error.
//
// A failed request is sent again, up to Config.Tries times in all, as long as nothing of a
// reply was shown and the failure may pass (408, 429, 5xx, a reset, an empty answer). Each
// pause is announced by a Delta with Wait. A server that asks for a pause of more than 60
// seconds is not waited for: the error's RetryAfter says how long.
func (c *Client) Stream(ctx context.Context, r Request, sink func(Delta)) (Reply, error) {
	if sink == nil {
		sink = func(Delta) {}
	}
	pauses := &backoff.ExponentialBackOff{
		InitialInterval: c.cfg.RetryPause, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: 16 * c.cfg.RetryPause}
	pauses.Reset()
	for try := 1; ; {
		reply, shown, err := c.attempt(ctx, r, sink)
		if err == nil {
			c.answered()
			return reply, nil
		}
		if ctx.Err() != nil {
			return reply, ctx.Err()
		}
		e := asError(err)
		switch {
		case shown:
			return reply, e
		case c.learn(e, r):
			continue
		case !e.again || try >= c.cfg.Tries || e.RetryAfter > maxRetryAfter:
			return reply, e
		}
		try++
		pause := pauses.NextBackOff()
		if e.RetryAfter > 0 {
			pause = e.RetryAfter
		}
		sink(Delta{Wait: &Wait{Until: time.Now().Add(pause), For: pause, Try: try, Of: c.cfg.Tries, Reason: e}})
		if !sleep(ctx, pause) {
			return reply, ctx.Err()
		}
	}
}

// attempt sends the request once. shown says whether the sink got some of a reply.
func (c *Client) attempt(ctx context.Context, r Request, sink func(Delta)) (reply Reply, shown bool, err error) {
	known := callIDs(r.Messages)
	as := c.manner()
	r.Messages = as.messages(r)
	x := &exchange{c: c, req: r, stream: true}
	asm := newAssembly(c.host, sink)
	c.readText(as, asm, x)
	defer func() { reply.Limits = x.limits }()
	stream, err := c.library(x).CreateChatCompletionStream(ctx, c.encode(as, r))
	if err != nil {
		return asm.partial(), false, err
	}
	err = receive(stream, x, asm)
	_ = stream.Close() // the connection's end cannot change what was read
	switch {
	case err != nil:
		return asm.partial(), asm.delivered, err
	case ctx.Err() != nil:
		return asm.partial(), asm.delivered, ctx.Err()
	case !asm.finished(x.done):
		return asm.partial(), asm.delivered, c.unfinished()
	}
	return asm.reply(known), asm.delivered, nil
}

func receive(stream *openai.ChatCompletionStream, x *exchange, asm *assembly) error {
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := asm.add(chunk, x.extras); err != nil {
			return err
		}
	}
}

// library returns the client library, with x between it and the network.
func (c *Client) library(x *exchange) *openai.Client {
	cfg := openai.DefaultConfig(c.cfg.APIKey)
	cfg.BaseURL = c.cfg.BaseURL
	cfg.HTTPClient = x
	// Comments never reach the library; x bounds the stream.
	cfg.EmptyMessagesLimit = math.MaxUint32
	return openai.NewClientWithConfig(cfg)
}

// asError gives the library's own errors a kind: what it cannot parse, and requests that
// it knows a model to reject.
func asError(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case isLibraryRefusal(err):
		return &Error{Kind: Refused, Wrapped: err, Message: "this request cannot work: " + printable(err.Error(), "")}
	}
	e = &Error{Kind: Malformed, Wrapped: err, Message: "a piece of the reply is not what the protocol has there"}
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		e.Message += fmt.Sprintf(": %s is a JSON %s", quote(wrong.Field), wrong.Value)
	}
	return e
}

func isLibraryRefusal(err error) bool {
	for _, refusal := range []error{
		openai.ErrChatCompletionInvalidModel,
		openai.ErrReasoningEffortUnsupported,
		openai.ErrReasoningToolsRequireResponses,
		openai.ErrReasoningSamplingUnsupported,
		openai.ErrReasoningModelMaxTokensDeprecated,
		openai.ErrReasoningModelLimitationsLogprobs,
		openai.ErrReasoningModelLimitationsOther,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

func callIDs(messages []Message) map[string]bool {
	ids := map[string]bool{}
	for _, m := range messages {
		for _, call := range m.Calls {
			ids[call.ID] = true
		}
	}
	return ids
}

// sleep waits and reports whether the context lasted.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Models lists the names of the models that the server offers, in its order.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	list, err := c.library(&exchange{c: c}).ListModels(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, asError(err)
	}
	names := make([]string, 0, len(list.Models))
	for _, m := range list.Models {
		names = append(names, printable(m.ID, ""))
	}
	return names, nil
}
