package model

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent/contact"
)

// Config describes one model on one server. The zero values of the time-outs and of Tries
// mean their defaults.
type Config struct {
	// BaseURL is the address up to and without /chat/completions, http or https.
	BaseURL string
	// APIKey goes into the Authorization header; empty for servers that want none.
	APIKey string
	Model  string
	// Headers are sent with every request, after and over the usual ones.
	Headers         map[string]string
	Temperature     *float32
	TopP            *float32
	ReasoningEffort string
	// ContextLimit is the model's context in tokens, 0 if unknown. See Client.ContextLimit.
	ContextLimit int
	// Known keeps what is learnt of the server. Nil: the server is asked nothing, and what it
	// refuses is known to this client alone.
	Known *contact.Store
	// ToolProtocol says how tools are called: ProtocolAuto, ProtocolNative or
	// ProtocolText. Empty means ProtocolAuto.
	ToolProtocol string
	// SessionHeader is the name of the header that tells the server which requests
	// belong together, such as X-Session-ID; empty sends none.
	SessionHeader string
	// SessionMode says what it carries: SessionResume, SessionFresh or
	// SessionStateless. Empty means SessionResume.
	SessionMode string
	// Transport carries the requests; nil means the network, with proxies from the environment.
	Transport http.RoundTripper

	// HeaderTimeout bounds the wait for the response to begin (60 s), IdleTimeout the
	// silence between two pieces of it (90 s).
	HeaderTimeout time.Duration
	IdleTimeout   time.Duration
	// Tries is how often a request is sent at most (4), RetryPause the first pause (500 ms).
	Tries      int
	RetryPause time.Duration
}

// The values of Config.SessionMode.
const (
	// SessionResume sends Request.Session: the server may go on with what it kept
	// of the conversation, also after a restart.
	SessionResume = "resume"
	// SessionFresh sends an id of this client's own for each Request.Session: the
	// server begins anew with each start.
	SessionFresh = "fresh"
	// SessionStateless sends no header: each request stands for itself.
	SessionStateless = "stateless"
)

// Client talks to one model. It is safe for concurrent use.
type Client struct {
	cfg       Config
	host      string
	transport http.RoundTripper
	own       *http.Transport // set when the client made the transport itself
	habits    habits
	meeting   meeting
	fresh     sync.Map // ids of sessions by Request.Session
}

// New checks the configuration and returns a client. Nothing is sent. Every error is an
// *Error of kind Misconfigured.
func New(cfg Config) (*Client, error) {
	u, err := baseAddress(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	cfg.APIKey = strings.TrimSpace(cfg.APIKey)
	if err := cfg.checkChoices(); err != nil {
		return nil, err
	}
	if err := cfg.checkHeaders(); err != nil {
		return nil, err
	}
	cfg.HeaderTimeout = orUsual(cfg.HeaderTimeout, 60*time.Second)
	cfg.IdleTimeout = orUsual(cfg.IdleTimeout, 90*time.Second)
	cfg.Tries = orUsual(cfg.Tries, 4)
	cfg.RetryPause = orUsual(cfg.RetryPause, 500*time.Millisecond)
	c := &Client{cfg: cfg, host: u.Host, transport: cfg.Transport}
	if c.transport == nil {
		c.own = newTransport()
		c.transport = c.own
	}
	if kept, ok := cfg.Known.Load(cfg.BaseURL, cfg.Model); ok {
		c.habits.adopt(kept)
	}
	return c, nil
}

// baseAddress reads base_url.
func baseAddress(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	switch {
	case base == "":
		return nil, misconfigured("base_url is missing", nil)
	case err != nil:
		return nil, misconfigured("base_url is not an address: "+printable(err.Error(), ""), err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, misconfigured("base_url "+quote(base)+" must begin with http:// or https://", nil)
	case u.Hostname() == "":
		return nil, misconfigured("base_url "+quote(base)+" has no host", nil)
	case u.User != nil:
		return nil, misconfigured("base_url must not hold a user name or password; use api_key or headers", nil)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, misconfigured("base_url "+quote(base)+" must end with its path", nil)
	}
	return u, nil
}

// checkChoices refuses a configuration that chooses what there is not, or no model.
func (cfg Config) checkChoices() error {
	switch {
	case !slices.Contains([]string{"", ProtocolAuto, ProtocolNative, ProtocolText}, cfg.ToolProtocol):
		return misconfigured("tool_protocol "+quote(cfg.ToolProtocol)+" is not one of auto, native, text", nil)
	case !slices.Contains([]string{"", SessionResume, SessionFresh, SessionStateless}, cfg.SessionMode):
		return misconfigured("session_mode "+quote(cfg.SessionMode)+" is not one of resume, fresh, stateless", nil)
	case strings.TrimSpace(cfg.Model) == "":
		return misconfigured("model is missing", nil)
	}
	return nil
}

// checkHeaders refuses a configuration whose headers cannot be sent.
func (cfg Config) checkHeaders() error {
	if !headerValue(cfg.APIKey) {
		return misconfigured("api_key holds a character that cannot be sent in a header", nil)
	}
	for _, name := range sortedKeys(cfg.Headers) {
		if !headerName(name) || !headerValue(cfg.Headers[name]) {
			return misconfigured("header "+quote(name)+" or its value cannot be sent", nil)
		}
	}
	if cfg.SessionHeader != "" && !headerName(cfg.SessionHeader) {
		return misconfigured("session_header "+quote(cfg.SessionHeader)+" is not a header's name", nil)
	}
	return nil
}

// orUsual is a limit, or the usual one if none is set.
func orUsual[T int | time.Duration](limit, usual T) T {
	if limit <= 0 {
		return usual
	}
	return limit
}

// session is what the header carries for a request; empty sends none.
func (c *Client) session(id string) string {
	switch {
	case id == "", c.cfg.SessionHeader == "", c.cfg.SessionMode == SessionStateless:
		return ""
	case c.cfg.SessionMode == SessionFresh:
		own, _ := c.fresh.LoadOrStore(id, strings.ToLower(rand.Text()))
		if own, ok := own.(string); ok {
			return own
		}
	}
	return id
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   15 * time.Second,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          4,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		ReadBufferSize:        readBuffer,
		// A header block is small; a server that sends more is broken.
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// Name is the configured model name.
func (c *Client) Name() string { return c.cfg.Model }

// Host is the server's host and port, for the status line.
func (c *Client) Host() string { return c.host }

// Close lets go of idle connections. Streams in progress are not touched.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

func misconfigured(message string, cause error) *Error {
	return &Error{Kind: Misconfigured, Message: message, Wrapped: cause}
}

// headerName reports whether s is a token of RFC 9110, section 5.6.2.
func headerName(s string) bool {
	for i := 0; i < len(s); i++ {
		b := s[i]
		if !(b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' ||
			strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0) {
			return false
		}
	}
	return s != ""
}

// headerValue reports whether s has no control characters, so that it cannot end a line.
func headerValue(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
