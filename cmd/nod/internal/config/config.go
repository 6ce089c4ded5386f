package config

import (
	"time"
)

// Config is everything that the operator can set.
type Config struct {
	Agent   Agent
	Tools   Tools
	Tmux    Tmux
	Policy  Policy
	Display Display
	Models  map[string]Model  // [model.NAME]
	Targets map[string]Target // [target.NAME]; names may be patterns such as "web-*"

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
}

// Tools is the [tools] section.
type Tools struct {
	Shell        bool
	Files        bool
	ShellTimeout time.Duration
}

// Tmux is the [tmux] section.
type Tmux struct {
	Socket      string // as tmux -L
	MaxSessions int
	MaxPanes    int
}

// Policy is the [policy] section.
type Policy struct {
	Posture string // "ask", "ask-all" or "read-only"
	Rules   string // path of the rules file
}

// Display is the [display] section.
type Display struct {
	Theme         string
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
	ContextLimit    int               `toml:"context_limit"`
	ReasoningEffort string            `toml:"reasoning_effort"`
	Temperature     *float32          `toml:"temperature"`
	TopP            *float32          `toml:"top_p"`
	SessionHeader   string            `toml:"session_header"`
	Headers         map[string]string `toml:"headers"`
}

// Target is one [target.NAME] section.
type Target struct {
	Trust string `toml:"trust"` // "prod", "stage" or "lab"
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
