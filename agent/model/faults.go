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
	said = c.printable(said)
	if said != "" {
		said = ": " + said
	}
	at := c.host
	if status != 0 {
		at = fmt.Sprintf("%s (%d)", c.host, status)
	}
	rejects := status == 0 || status >= 400 && status < 500
	switch {
	case rejects && saysContext().MatchString(e.said):
		e.Kind, e.Message = ContextLength, "the conversation is too long for "+quote(c.cfg.Model)+said
		if m := saysLimit().FindSubmatch(page); m != nil {
			e.Limit, _ = strconv.Atoi(string(m[1]) + string(m[2])) // one of both, at most eight digits: cannot fail
		}
	case status == http.StatusPaymentRequired, rejects && saysQuota().MatchString(e.said):
		e.Kind, e.Message = Quota, at+" says that the account has no credit"+said
	case saysNoTools().MatchString(e.said): // llama.cpp says so with 500
		e.Kind, e.Message = NoTools, quote(c.cfg.Model)+" at "+at+" cannot call tools"+said
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.Kind, e.Message = Auth, at+" does not accept the key"+said
	case status == http.StatusTooManyRequests, status == 0 && strings.Contains(code, "rate_limit"):
		e.Kind, e.Message, e.again = RateLimited, at+" limits the rate of requests"+said, true
	case status == http.StatusNotFound:
		e.Kind, e.Message = NotFound, at+" has no such model or address ("+quote(c.cfg.Model)+")"+said
	case status == http.StatusRequestTimeout:
		e.Kind, e.Message, e.again = Timeout, at+" timed out"+said, true
	case status == 0 && strings.Contains(code, "invalid_request"):
		e.Kind, e.Message = Refused, at+" rejects the request"+said
	case status == 0 || status >= 500:
		e.Kind, e.Message, e.again = Server, at+" failed"+said, true
	default:
		e.Kind, e.Message = Refused, at+" rejects the request"+said
	}
	return e
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
	var top map[string]json.RawMessage
	if json.Unmarshal(page, &top) != nil {
		return "", ""
	}
	if said := text(top["error"]); said != "" {
		return "", said
	}
	inner := top
	if first(top["error"]) == '{' {
		inner = nil
		if json.Unmarshal(top["error"], &inner) != nil {
			return "", ""
		}
	}
	for _, key := range []string{"code", "type"} {
		if v := strings.Trim(string(inner[key]), `"`); set(inner[key]) && v != "" {
			code = strings.TrimSpace(code + " " + v)
		}
	}
	if fields := strings.Fields(code); len(fields) > 1 && isNumber(fields[0]) {
		code = fields[0]
	}
	for _, key := range []string{"message", "detail"} {
		if said = text(inner[key]); said != "" {
			return code, said
		}
		if first(inner[key]) == '{' || first(inner[key]) == '[' {
			return code, string(inner[key])
		}
	}
	return code, ""
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
