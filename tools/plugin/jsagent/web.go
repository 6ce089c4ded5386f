package jsagent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/web"
)

type request struct {
	URL     string
	Method  string
	Headers map[string]string
	Body    *string
}

// answer is what fetch returns.
type answer struct {
	Status int    `json:"status"`
	URL    string `json:"url"`
	Body   string `json:"body"`
}

// fetch makes a request over HTTP: a plain GET with fetch_url, any other one with curl.
func (q ask) fetch(ctx context.Context, p request) (any, error) {
	at, err := address(p.URL)
	if err != nil {
		return nil, err
	}
	if err := q.Permissions.host(at.Hostname()); err != nil {
		return nil, err
	}
	if (p.Method == "" || strings.EqualFold(p.Method, "GET")) && len(p.Headers) == 0 && p.Body == nil {
		return q.get(ctx, p.URL)
	}
	p.URL = at.String() // as it was read: curl must not read another host in it
	line, h, err := curl(p)
	if err != nil {
		return nil, err
	}
	v, err := q.shell(ctx, line, h, exactly(line))
	if err != nil {
		return nil, err
	}
	if v.ExitCode == nil || *v.ExitCode != 0 {
		return nil, fmt.Errorf("curl: %s", strings.TrimSpace(v.Stderr))
	}
	if len(v.Notices) > 0 {
		return nil, errors.New(v.Notices[0])
	}
	i := strings.LastIndexByte(v.Stdout, '\n')
	status, err := strconv.Atoi(v.Stdout[i+1:])
	if err != nil {
		return nil, fmt.Errorf("curl has ended with %.40q, which is no status", v.Stdout[i+1:])
	}
	return answer{status, p.URL, v.Stdout[:max(i, 0)]}, nil
}

var hostForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._-]+$`) })

// address is a URL of http or https that can be read in one way only.
func address(text string) (*url.URL, error) {
	at, err := url.Parse(text)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Opaque != "" || at.Hostname() == "":
		return nil, fmt.Errorf("%.200q is no URL of http or https", text)
	case at.User != nil:
		return nil, fmt.Errorf("%.200q has a user in it; use a header", text)
	case !hostForm().MatchString(at.Hostname()) && net.ParseIP(at.Hostname()) == nil:
		return nil, fmt.Errorf("%.200q is no host's name", at.Hostname())
	}
	return at, nil
}

// get is a plain GET. What comes is text: HTML as Markdown, as the model gets it.
func (q ask) get(ctx context.Context, from string) (any, error) {
	var v web.FetchValue
	err := q.call(ctx, "fetch_url", map[string]any{"url": from}, &v, func(a tools.Action) error {
		at, err := url.Parse(a.Command)
		if err != nil {
			return err
		}
		return q.Permissions.host(at.Hostname())
	})
	if err != nil {
		return nil, err
	}
	status, err := strconv.Atoi(v.Status[:min(3, len(v.Status))])
	if err != nil {
		return nil, fmt.Errorf("the status is %.40q", v.Status)
	}
	for _, n := range v.Notices {
		if ref := keptPage(n); ref != "" && q.env.Outputs != nil {
			if v.Content, err = q.env.Outputs.Text(ctx, ref); err != nil {
				return nil, err
			}
		}
	}
	return answer{status, v.URL, v.Content}, nil
}

// keptPage is where all of a page is that a notice says is cut.
func keptPage(notice string) string {
	if _, at, cut := strings.Cut(notice, `read_file {"path": "`); cut && strings.HasPrefix(notice, "the content is cut") {
		ref, _, _ := strings.Cut(at, `"`)
		return ref
	}
	return ""
}

// curl is a request as a command; its body is on the standard input. It follows no
// redirects, and prints the status behind the answer, on a line of its own.
func curl(p request) (string, how, error) {
	method := strings.ToUpper(p.Method)
	if method == "" {
		method = "GET"
		if p.Body != nil {
			method = "POST"
		}
	}
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, method) {
		return "", how{}, fmt.Errorf("there is no method %.40q", p.Method)
	}
	words := []string{"curl", "-q", "-sS", "--max-time", "60", "-w", `\n%{http_code}`}
	if method == "HEAD" {
		words = append(words, "-I")
	} else {
		words = append(words, "-X", method)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		value := p.Headers[name]
		if name == "" || strings.ContainsAny(name, ":\r\n@ ") || strings.ContainsAny(value, "\r\n") {
			return "", how{}, fmt.Errorf("the header %.80q cannot be sent", name)
		}
		words = append(words, "-H", name+": "+value)
	}
	h := how{}
	if p.Body != nil {
		words = append(words, "--data-binary", "@-")
		h.Stdin = p.Body
	}
	words = append(words, "--globoff", "--", p.URL)
	for i, w := range words {
		words[i] = word(w)
	}
	if method != "GET" && method != "HEAD" && method != "OPTIONS" {
		yes := true
		h.Mutation = &yes
	}
	return strings.Join(words, " "), h, nil
}
