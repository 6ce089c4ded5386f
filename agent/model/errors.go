package model

import (
	"cmp"
	"fmt"
	"time"
)

// Kind sorts errors by what the operator or the loop can do about them.
type Kind string

// The kinds of errors.
const (
	Unreachable   Kind = "unreachable"    // no connection: name, route, port, certificate
	Auth          Kind = "auth"           // the key is missing, wrong or not entitled
	Quota         Kind = "quota"          // the account has no credit left
	RateLimited   Kind = "rate_limited"   // too many requests; RetryAfter may say until when
	ContextLength Kind = "context_length" // the conversation does not fit the model
	NotFound      Kind = "not_found"      // no such model or address
	NoTools       Kind = "no_tools"       // the server rejects requests that have tools
	Redirected    Kind = "redirected"     // the server points elsewhere; never followed
	Refused       Kind = "refused"        // the server rejects this request for another reason
	Server        Kind = "server"         // the server failed
	Timeout       Kind = "timeout"        // nothing came for too long
	Truncated     Kind = "truncated"      // the reply ended before its finish_reason
	Malformed     Kind = "malformed"      // what came is not the protocol
	TooLarge      Kind = "too_large"      // a line or the reply is beyond its bound
	Misconfigured Kind = "misconfigured"  // the Config cannot work
)

// Error is every error of this package except the context's own.
type Error struct {
	Kind Kind
	// Message is one clear sentence without a full stop, safe to print.
	Message string
	// Status is the HTTP status when there was one.
	Status int
	// Limit is the model's context in tokens, where a ContextLength error names it; else 0.
	Limit int
	// RetryAfter is how long the server asked to wait, 0 when it did not say.
	RetryAfter time.Duration
	// Wrapped is the cause; it may be nil.
	Wrapped error

	again bool   // a second try may work
	said  string // the server's own words, for adapting to it
}

// Error returns the sentence.
func (e *Error) Error() string { return "model: " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Wrapped }

// hints say what to do next.
var hints = map[Kind]string{
	Unreachable:   "check base_url and that the server runs; `nod doctor` tries the connection",
	Auth:          "check api_key, api_key_env or NOD_API_KEY for this model",
	Quota:         "add credit to the account or choose another model",
	RateLimited:   "wait a moment and try again, or choose another model",
	ContextLength: "run /compact, or start a new conversation",
	NotFound:      "check model and base_url; `nod doctor` lists the models of this server",
	NoTools:       "set tool_protocol = \"text\" for this model, or choose one that can call tools",
	Redirected:    "set base_url to the final address if you trust it",
	Refused:       "check the model's settings (temperature, top_p, reasoning_effort), or rephrase",
	Server:        "try again; if it stays, look at the server's log or its status page",
	Timeout:       "try again; a local model may still be loading",
	Truncated:     "try again; nothing of the cut reply was run",
	Malformed:     "check that base_url points to an OpenAI-compatible API (it often ends in /v1)",
	TooLarge:      "ask for less at once, or choose another model",
	Misconfigured: "correct the [model] section; `nod config explain` shows where each value comes from",
}

// Hint says what to do next, in one sentence.
func (e *Error) Hint() string {
	if e.Kind == RateLimited && e.RetryAfter > 0 {
		return fmt.Sprintf("try again after %s or choose another model",
			time.Now().Add(e.RetryAfter).Format("15:04:05"))
	}
	return cmp.Or(hints[e.Kind], "run `nod doctor`")
}
