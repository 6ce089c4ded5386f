package config

import (
	"path"
	"strings"
	"time"
)

// Config is everything that the operator can set.
type Config struct {
	Agent   Agent
	Tools   Tools
	Tmux    Tmux
	SSH     SSH
	Docker  Docker
	Policy  Policy
	Record  Record
	Display Display
	Models  map[string]Model  // [model.NAME]
	Targets map[string]Target // [target.NAME]; names may be patterns such as "web-*"
	Redact  map[string]Redact // [redact.NAME]; kinds of secrets beside those that nod knows
	Keys    []Keys            // [keys], in the order of the file
	// Servers are the [mcp.NAME] sections, Commands the [command.NAME] sections.
	Servers  map[string]Server
	Commands map[string]Command
	Hooks    map[string]Hook  // [hook.NAME]
	Groups   map[string]Group // [group.NAME]

	origins map[string]Origin
	path    string
}

// Agent is the [agent] section.
type Agent struct {
	Name          string // names nod's tmux sessions
	Model         string // which [model.NAME] answers
	SystemPrompt  string // added to nod's own
	MaxIterations int
	MaxTokens     int // per turn; 0 means no limit of nod's own
	ToolTimeout   time.Duration
	// Discover is where a local model server is looked for if no model is
	// configured: addresses (host:port) with spaces between them.
	Discover string
	ShowPane bool // the model gets to see the pane that it works in with each request
}

// Tools is the [tools] section.
type Tools struct {
	Enabled      bool // the model may call tools at all
	Shell        bool
	Files        bool
	Fetch        bool
	Search       bool
	ShellTimeout time.Duration
	Workspace    string   // the folder that the tools for files stay in on this machine
	AllowedPaths []string // files and folders that they may go to all the same
	FetchAllowed []string // domains; none means all
	FetchBlocked []string // domains
	BraveKey     string   // for Brave's search API
	BraveRing    string   // that key's name in the desktop's keyring
}

// Tmux is the [tmux] section.
type Tmux struct {
	Socket      string // as tmux -L
	MaxSessions int
	MaxPanes    int
}

// SSH is the [ssh] section.
type SSH struct {
	Config    string        // as ssh -F
	Persist   time.Duration // how long a connection that nobody uses is held
	Keepalive time.Duration // between two questions whether the host is still there
	Own       bool          // log in even where the operator's own master could be used
	Login     string        // who logs in: "auto", "native" or "openssh"
}

// Docker is the [docker] section.
type Docker struct {
	Host    string // the engine, as DOCKER_HOST
	Context string // a context of Docker's own configuration
}

// Policy is the [policy] section.
type Policy struct {
	Posture string // "ask", "ask-all" or "read-only"
	Rules   string // path of the rules file
	// RevertAfter is when an armed revert comes; 0 means that none is offered.
	RevertAfter time.Duration
	Cage        string // "prefer", "require" or "off": where commands that only look run held
	Held        string // "on", "off" or "prod": where commands that nod cannot read run held, unasked
}

// Record is the [record] section.
type Record struct {
	Copy string // where the heads of the record go as well: "auto", "none", "syslog" or "journald"
}

// Display is the [display] section.
type Display struct {
	Theme         string
	Input         string // how a line is edited: "readline" or "vi"
	Mouse         bool
	Notifications bool
}

// Model is one [model.NAME] section.
type Model struct {
	BaseURL         string            `toml:"base_url"`
	Model           string            `toml:"model"`
	APIKey          string            `toml:"api_key"`
	APIKeyEnv       string            `toml:"api_key_env"`
	APIKeyFile      string            `toml:"api_key_file"`
	Keyring         string            `toml:"keyring"` // the key's name in the desktop's keyring
	ContextLimit    int               `toml:"context_limit"`
	ReasoningEffort string            `toml:"reasoning_effort"`
	Temperature     *float32          `toml:"temperature"`
	TopP            *float32          `toml:"top_p"`
	ToolProtocol    string            `toml:"tool_protocol"` // "auto", "native" or "text"
	SessionHeader   string            `toml:"session_header"`
	SessionMode     string            `toml:"session_mode"` // "resume", "fresh" or "stateless"
	PriceInput      *float32          `toml:"price_input"`  // of a million tokens, in dollars
	PriceOutput     *float32          `toml:"price_output"`
	PriceCached     *float32          `toml:"price_cached"`
	Headers         map[string]string `toml:"headers"`
}

// Target is one [target.NAME] section.
type Target struct {
	Trust string `toml:"trust"` // "prod", "stage" or "lab"
	Cage  string `toml:"cage"`  // as [policy] cage, for this target
	Held  string `toml:"held"`  // as [policy] held, for this target
	Login string `toml:"login"` // as ssh.login
}

// LoginFor says who logs in to a target over ssh: as its own section has it, then
// the first of those whose name is a pattern for it, then [ssh].
func (c *Config) LoginFor(target string) string {
	short := strings.TrimPrefix(target, "ssh:")
	for _, name := range []string{target, short} {
		if login := c.Targets[name].Login; login != "" {
			return login
		}
	}
	for _, name := range sortedKeys(c.Targets) {
		for _, is := range []string{target, short} {
			if ok, err := path.Match(name, is); err == nil && ok && c.Targets[name].Login != "" {
				return c.Targets[name].Login
			}
		}
	}
	return c.SSH.Login
}

// Keys is one line of [keys]: which keys give a command. The console knows what
// can stand there.
type Keys struct {
	Name string   // "zoom", or "pane.copy" at one place alone
	Keys []string // none: the command has no key there
}

// Redact is one [redact.NAME] section.
type Redact struct {
	Pattern string `toml:"pattern"` // a regular expression (RE2); of its groups, if it has any
}

// Origin says where a value came from: "default", "flag --theme",
// "environment NOD_THEME" or "/path/config.toml:12".
type Origin string

// Default is the origin of values that nobody set.
const Default Origin = "default"

// Path is the configuration file that was looked for; it need not exist.
func (c *Config) Path() string { return c.path }

// Value is a setting as "nod config explain" prints it.
type Value struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin Origin `json:"origin"`
}
