package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
)

// connectionError says why no response began.
func (c *Client) connectionError(err error) error {
	if errors.Is(err, errNoHeader) {
		return &Error{Kind: Timeout, Wrapped: err,
			Message: fmt.Sprintf("%s did not answer within %s", c.host, c.cfg.HeaderTimeout)}
	}
	e := &Error{Kind: Unreachable, Wrapped: err}
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		e.Message = fmt.Sprintf("the name %s could not be resolved", quote(dns.Name))
		e.again = dns.IsTemporary || dns.IsTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message = "nothing listens on " + c.host + " (connection refused)"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = c.host + " closed the connection before it answered"
		e.again = true
	default:
		e.Message = c.host + " could not be reached: " + c.printable(innermost(err))
		e.again = isTimeout(err) || errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH)
	}
	return e
}

// streamError says why a response that had begun broke off.
func (c *Client) streamError(err error) error {
	switch {
	case errors.Is(err, errSilence):
		return &Error{Kind: Timeout, Wrapped: err,
			Message: fmt.Sprintf("%s fell silent in the middle of its reply (nothing for %s)", c.host, c.cfg.IdleTimeout)}
	case errors.Is(err, errLineTooLong):
		return &Error{Kind: TooLarge, Wrapped: err,
			Message: fmt.Sprintf("%s sent a line of more than %d MiB", c.host, maxLine>>20)}
	case errors.Is(err, errStreamTooLong):
		return &Error{Kind: TooLarge, Wrapped: err,
			Message: fmt.Sprintf("%s sent a stream of more than %d MiB", c.host, maxStream>>20)}
	}
	return &Error{Kind: Truncated, Wrapped: err, again: true,
		Message: c.host + " broke off in the middle of its reply"}
}

// unfinished is a stream that ended in good order, but without a finish_reason.
func (c *Client) unfinished() error {
	return &Error{Kind: Truncated, again: true,
		Message: c.host + " ended its reply before it was finished"}
}

func (c *Client) redirectError(resp *http.Response) error {
	to := resp.Header.Get("Location")
	if u, err := url.Parse(to); err == nil && u.Host != "" {
		to = u.Scheme + "://" + u.Host + u.Path
	}
	return &Error{Kind: Redirected, Status: resp.StatusCode,
		Message: fmt.Sprintf("%s redirects to %s, which is not followed: the conversation would go elsewhere",
			c.host, quote(c.printable(to)))}
}

// statusError reads a response whose status says that it failed.
func (c *Client) statusError(resp *http.Response, page []byte) error {
	e := c.spokenError(resp.StatusCode, page)
	e.RetryAfter = retryAfter(resp.Header, time.Now())
	if e.Kind == RateLimited && e.RetryAfter > 0 {
		e.Message += fmt.Sprintf(" (try again in %s)", e.RetryAfter.Round(time.Second))
	}
	return e
}

// documentError reads a JSON document where a stream was asked for.
func (c *Client) documentError(page []byte) error {
	if code, said := spoken(page); said != "" || code != "" {
		return c.spokenError(0, page)
	}
	return &Error{Kind: Malformed,
		Message: c.host + " answered with one JSON document instead of a stream"}
}

var (
	saysContext = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)context[ _]length|maximum context|context window|context size|` +
			`prompt is too long|input is too long|too many (input )?tokens|token count .*exceeds|reduce the length`)
	})
	saysQuota = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)insufficient_quota|credit balance|insufficient (credits|balance|funds)|billing`)
	})
	saysNoTools = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(not|n't) support (the )?["'` + "`" + `]?(tools?|function)|` +
			`(tools?|functions?)([ _-](use|usage|calling|calls?|choice))?["'` + "`" + `]? (parameter |field |param )?(is |are )?(not|n't) (supported|enabled|available|allowed|permitted)|` +
			`(unknown|unrecognized|unexpected|unsupported|invalid)( request)? (argument|field|parameter|param|key)s?( supplied)?:? ["'` + "`" + `]?tools?\b|` +
			`"loc":\s*\["body",\s*"tools"\s*\]|` +
			`enable-auto-tool-choice|no endpoints found that support tool|requires --jinja|tools param requires`)
	})
	// saysLimit finds the context that a refusal names, in the words of OpenAI and vLLM,
	// llama.cpp (also as a field), LM Studio, Anthropic and Google; Mistral says the number
	// first.
	saysLimit = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:maximum context length is|context size \(|context length (?:of only|of|is)|context window (?:of|is)|` +
			`"?n_ctx"?\s*[:=]|tokens >|tokens allowed \()\s*([0-9]{3,8})|([0-9]{3,8}) maximum context length`)
	})
)

// spokenError sorts an error by its status (0 inside a stream) and by what the server said.
func (c *Client) spokenError(status int, page []byte) *Error {
	code, said := spoken(page)
	if status == 0 {
		if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
			status = n
		}
	}
	e := &Error{Status: status, said: code + " " + said}
	e.Kind = faultKind(status, code, e.said)
	e.again = e.Kind == RateLimited || e.Kind == Timeout || e.Kind == Server
	at := c.host
	if status != 0 {
		at = fmt.Sprintf("%s (%d)", c.host, status)
	}
	e.Message = fmt.Sprintf(faultWords[e.Kind], at, quote(c.cfg.Model))
	if said = c.printable(said); said != "" {
		e.Message += ": " + said
	}
	if e.Kind == ContextLength {
		if m := saysLimit().FindSubmatch(page); m != nil {
			e.Limit, _ = strconv.Atoi(string(m[1]) + string(m[2])) // one of both, at most eight digits: cannot fail
		}
	}
	return e
}

// faultWords say what is wrong: 1 is the server with the status, 2 the model.
var faultWords = map[Kind]string{
	ContextLength: "the conversation is too long for %[2]s",
	Quota:         "%[1]s says that the account has no credit",
	NoTools:       "%[2]s at %[1]s cannot call tools",
	Auth:          "%[1]s does not accept the key",
	RateLimited:   "%[1]s limits the rate of requests",
	NotFound:      "%[1]s has no such model or address (%[2]s)",
	Timeout:       "%[1]s timed out",
	Refused:       "%[1]s rejects the request",
	Server:        "%[1]s failed",
}

// statusKinds are the kinds of errors that have a status of their own.
var statusKinds = map[int]Kind{
	http.StatusPaymentRequired: Quota,
	http.StatusUnauthorized:    Auth,
	http.StatusForbidden:       Auth,
	http.StatusTooManyRequests: RateLimited,
	http.StatusNotFound:        NotFound,
	http.StatusRequestTimeout:  Timeout,
}

// faultKind sorts an error, first by what the server said.
func faultKind(status int, code, said string) Kind {
	kind, known := statusKinds[status]
	rejects := status == 0 || status >= 400 && status < 500
	switch {
	case rejects && saysContext().MatchString(said):
		return ContextLength
	case kind == Quota, rejects && saysQuota().MatchString(said):
		return Quota
	case saysNoTools().MatchString(said): // llama.cpp says so with 500
		return NoTools
	case known:
		return kind
	case status == 0:
		return codeKind(code)
	case status >= 500:
		return Server
	}
	return Refused
}

// codeKind sorts an error inside a stream by its code.
func codeKind(code string) Kind {
	switch {
	case strings.Contains(code, "rate_limit"):
		return RateLimited
	case strings.Contains(code, "invalid_request"):
		return Refused
	}
	return Server
}

// spoken finds the code and the message in the shapes that servers give their errors:
// {"error":{"message","code","type"}}, {"error":"…"}, {"object":"error","message":"…"},
// {"detail":"…"}, and a list with one of them.
func spoken(page []byte) (code, said string) {
	if first(page) == '[' {
		var list []json.RawMessage
		if json.Unmarshal(page, &list) != nil || len(list) == 0 {
			return "", ""
		}
		page = list[0]
	}
	var fault map[string]json.RawMessage
	if json.Unmarshal(page, &fault) != nil {
		return "", ""
	}
	if said := text(fault["error"]); said != "" {
		return "", said
	}
	if inner := fault["error"]; first(inner) == '{' {
		fault = nil
		if json.Unmarshal(inner, &fault) != nil {
			return "", ""
		}
	}
	return spokenCode(fault), spokenWords(fault)
}

// spokenCode is the code of an error, with its type unless it is a number.
func spokenCode(fault map[string]json.RawMessage) (code string) {
	for _, key := range []string{"code", "type"} {
		if v := strings.Trim(string(fault[key]), `"`); set(fault[key]) && v != "" {
			code = strings.TrimSpace(code + " " + v)
		}
	}
	if fields := strings.Fields(code); len(fields) > 1 && isNumber(fields[0]) {
		code = fields[0]
	}
	return code
}

// spokenWords is the message of an error: a text, or whatever the server gives as its detail.
func spokenWords(fault map[string]json.RawMessage) string {
	for _, key := range []string{"message", "detail"} {
		if said := text(fault[key]); said != "" {
			return said
		}
		if first(fault[key]) == '{' || first(fault[key]) == '[' {
			return string(fault[key])
		}
	}
	return ""
}

// retryAfter reads how long a server asks to wait, in the forms in use.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e10 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e7 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// innermost is the last error of a chain, which names the cause without the path to it.
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// printable makes foreign text fit for a line on the screen and takes the key out of it.
func (c *Client) printable(s string) string { return printable(s, c.cfg.APIKey) }

const maxSaid = 300

func printable(s, secret string) string {
	if len(secret) >= 8 {
		s = strings.ReplaceAll(s, secret, "[key]")
	}
	var b strings.Builder
	n, gap := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			gap = n > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
		if n++; n == maxSaid {
			b.WriteString("…")
			break
		}
	}
	return strings.TrimSuffix(b.String(), ".")
}

func quote(s string) string { return strconv.Quote(s) }
