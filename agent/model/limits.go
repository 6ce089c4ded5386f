package model

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Limits is what a server says that it still takes, as of its last answer.
type Limits struct{ Requests, Tokens Limit }

// Limit is one of them. The zero value means that the server has not said it.
type Limit struct {
	Left, Of int // Of is 0 if the server has not said it
	Reset    time.Duration
	Known    bool
}

// Empty reports whether nothing is known.
func (l Limits) Empty() bool { return !l.Requests.Known && !l.Tokens.Known }

// String says it in a line: "17 of 60 requests left (full in 3s), 900 tokens left".
func (l Limits) String() string {
	var parts []string
	for _, x := range []struct {
		limit Limit
		word  string
	}{{l.Requests, "requests"}, {l.Tokens, "tokens"}} {
		if !x.limit.Known {
			continue
		}
		text := strconv.Itoa(x.limit.Left)
		if x.limit.Of > 0 {
			text += fmt.Sprintf(" of %d", x.limit.Of)
		}
		text += " " + x.word + " left"
		if x.limit.Reset > 0 {
			text += fmt.Sprintf(" (full in %s)", x.limit.Reset.Round(time.Second))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// limitsOf reads the headers in use: those of OpenAI and its followers, those of
// Anthropic, and the short ones of OpenRouter.
func limitsOf(h http.Header, now time.Time) Limits {
	return Limits{Requests: limitOf(h, "requests", now), Tokens: limitOf(h, "tokens", now)}
}

func limitOf(h http.Header, of string, now time.Time) Limit {
	forms := [][3]string{
		{"X-Ratelimit-Remaining-" + of, "X-Ratelimit-Limit-" + of, "X-Ratelimit-Reset-" + of},
		{"Anthropic-Ratelimit-" + of + "-Remaining", "Anthropic-Ratelimit-" + of + "-Limit", "Anthropic-Ratelimit-" + of + "-Reset"},
	}
	if of == "requests" {
		forms = append(forms, [3]string{"X-Ratelimit-Remaining", "X-Ratelimit-Limit", "X-Ratelimit-Reset"})
	}
	for _, f := range forms {
		left, err := strconv.Atoi(strings.TrimSpace(h.Get(f[0])))
		if err != nil || left < 0 {
			continue
		}
		l := Limit{Left: left, Known: true, Reset: resetOf(h.Get(f[2]), now)}
		if n, err := strconv.Atoi(strings.TrimSpace(h.Get(f[1]))); err == nil && n > 0 {
			l.Of = n
		}
		return l
	}
	return Limit{}
}

// resetOf is the time until a limit is full again: "6m0s", seconds, a time, or
// milliseconds since 1970. What is none of them, or longer than a day, is 0.
func resetOf(v string, now time.Time) time.Duration {
	v = strings.TrimSpace(v)
	d, err := time.ParseDuration(v)
	if err != nil {
		if at, bad := time.Parse(time.RFC3339, v); bad == nil {
			d = at.Sub(now)
		} else if n, bad := strconv.ParseFloat(v, 64); bad == nil && n > 1e11 && n < 1e15 {
			d = time.UnixMilli(int64(n)).Sub(now)
		} else if bad == nil && n >= 0 && n < 1e9 {
			d = time.Duration(n * float64(time.Second))
		}
	}
	if d < 0 || d > 24*time.Hour {
		return 0
	}
	return d
}
