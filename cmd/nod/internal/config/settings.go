package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// setting is one value that can be set: its key in the file, the environment
// variables that set it (first wins), its default, and how it is read and
// shown.
type setting struct {
	key     string
	env     []string
	initial string
	parse   func(*Config, string) error
	show    func(*Config) string
}

// settings are all single settings, in the order in which they are explained.
var settings = []setting{
	text("agent.name", nil, "ops", func(c *Config) *string { return &c.Agent.Name }),
	text("agent.model", nil, "", func(c *Config) *string { return &c.Agent.Model }),
	text("agent.system_prompt", nil, "", func(c *Config) *string { return &c.Agent.SystemPrompt }),
	number("agent.max_iterations", nil, 25, 1, 1000, func(c *Config) *int { return &c.Agent.MaxIterations }),
	number("agent.max_tokens_per_turn", nil, 0, 0, 1<<30, func(c *Config) *int { return &c.Agent.MaxTokens }),
	duration("agent.tool_timeout", nil, 10*time.Minute, func(c *Config) *time.Duration { return &c.Agent.ToolTimeout }),
	boolean("agent.show_pane", nil, true, func(c *Config) *bool { return &c.Agent.ShowPane }),
	text("agent.discover", nil, "127.0.0.1:11434 127.0.0.1:8080 127.0.0.1:1234", func(c *Config) *string { return &c.Agent.Discover }),
	boolean("tools.enabled", nil, true, func(c *Config) *bool { return &c.Tools.Enabled }),
	boolean("tools.shell_enabled", nil, true, func(c *Config) *bool { return &c.Tools.Shell }),
	boolean("tools.files_enabled", nil, true, func(c *Config) *bool { return &c.Tools.Files }),
	boolean("tools.fetch_enabled", nil, true, func(c *Config) *bool { return &c.Tools.Fetch }),
	boolean("tools.search_enabled", nil, true, func(c *Config) *bool { return &c.Tools.Search }),
	absolute(text("tools.workspace", nil, "", func(c *Config) *string { return &c.Tools.Workspace })),
	list("tools.allowed_paths", func(c *Config) *[]string { return &c.Tools.AllowedPaths }, isAbsolute),
	list("tools.fetch_allowed_domains", func(c *Config) *[]string { return &c.Tools.FetchAllowed }, isDomain),
	list("tools.fetch_blocked_domains", func(c *Config) *[]string { return &c.Tools.FetchBlocked }, isDomain),
	text("tools.brave_keyring", nil, "", func(c *Config) *string { return &c.Tools.BraveRing }),
	hidden(text("tools.brave_api_key", []string{"BRAVE_API_KEY"}, "", func(c *Config) *string { return &c.Tools.BraveKey })),
	duration("tools.shell_timeout", nil, 30*time.Second, func(c *Config) *time.Duration { return &c.Tools.ShellTimeout }),
	text("tmux.socket", nil, "nod", func(c *Config) *string { return &c.Tmux.Socket }),
	number("tmux.max_sessions", nil, 8, 1, 100, func(c *Config) *int { return &c.Tmux.MaxSessions }),
	number("tmux.max_panes", nil, 16, 1, 100, func(c *Config) *int { return &c.Tmux.MaxPanes }),
	text("ssh.config", []string{"NOD_SSH_CONFIG"}, "", func(c *Config) *string { return &c.SSH.Config }),
	orNever(duration("ssh.persist", nil, 10*time.Minute, func(c *Config) *time.Duration { return &c.SSH.Persist }), func(c *Config) *time.Duration { return &c.SSH.Persist }),
	duration("ssh.keepalive", nil, 5*time.Second, func(c *Config) *time.Duration { return &c.SSH.Keepalive }),
	choice("ssh.login", nil, []string{"auto", "native", "openssh"}, func(c *Config) *string { return &c.SSH.Login }),
	boolean("ssh.own", nil, false, func(c *Config) *bool { return &c.SSH.Own }),
	text("docker.host", nil, "", func(c *Config) *string { return &c.Docker.Host }),
	text("docker.context", nil, "", func(c *Config) *string { return &c.Docker.Context }),
	choice("policy.posture", nil, []string{"ask", "ask-all", "read-only"}, func(c *Config) *string { return &c.Policy.Posture }),
	orNever(duration("policy.revert_after", nil, 2*time.Minute, func(c *Config) *time.Duration { return &c.Policy.RevertAfter }), func(c *Config) *time.Duration { return &c.Policy.RevertAfter }),
	choice("policy.cage", nil, []string{"prefer", "require", "off"}, func(c *Config) *string { return &c.Policy.Cage }),
	choice("policy.held", nil, []string{"on", "off", "prod"}, func(c *Config) *string { return &c.Policy.Held }),
	text("policy.rules", nil, "", func(c *Config) *string { return &c.Policy.Rules }),
	choice("record.copy", []string{"NOD_RECORD_COPY"}, []string{"auto", "none", "syslog", "journald"}, func(c *Config) *string { return &c.Record.Copy }),
	text("display.theme", []string{"NOD_THEME"}, "ansi", func(c *Config) *string { return &c.Display.Theme }),
	choice("display.input", nil, []string{"readline", "vi"}, func(c *Config) *string { return &c.Display.Input }),
	boolean("display.mouse", nil, true, func(c *Config) *bool { return &c.Display.Mouse }),
	boolean("display.notifications", nil, true, func(c *Config) *bool { return &c.Display.Notifications }),
}

func text(key string, env []string, initial string, field func(*Config) *string) setting {
	return setting{
		key: key, env: env, initial: initial,
		parse: func(c *Config, s string) error { *field(c) = s; return nil },
		show:  func(c *Config) string { return *field(c) },
	}
}

func choice(key string, env, words []string, field func(*Config) *string) setting {
	s := text(key, env, words[0], field)
	s.parse = func(c *Config, v string) error {
		for _, w := range words {
			if v == w {
				*field(c) = v
				return nil
			}
		}
		return fmt.Errorf("%q is not one of %s", v, strings.Join(words, ", "))
	}
	return s
}

func number(key string, env []string, initial, least, most int, field func(*Config) *int) setting {
	return setting{
		key: key, env: env, initial: strconv.Itoa(initial),
		parse: func(c *Config, s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < least || n > most {
				return fmt.Errorf("%q is not a number from %d to %d", s, least, most)
			}
			*field(c) = n
			return nil
		},
		show: func(c *Config) string { return strconv.Itoa(*field(c)) },
	}
}

func boolean(key string, env []string, initial bool, field func(*Config) *bool) setting {
	return setting{
		key: key, env: env, initial: strconv.FormatBool(initial),
		parse: func(c *Config, s string) error {
			b, err := strconv.ParseBool(s)
			if err != nil {
				return fmt.Errorf("%q is neither true nor false", s)
			}
			*field(c) = b
			return nil
		},
		show: func(c *Config) string { return strconv.FormatBool(*field(c)) },
	}
}

func duration(key string, env []string, initial time.Duration, field func(*Config) *time.Duration) setting {
	return setting{
		key: key, env: env, initial: initial.String(),
		parse: func(c *Config, s string) error {
			d, err := time.ParseDuration(s)
			if err != nil || d <= 0 {
				return fmt.Errorf("%q is not a duration such as \"30s\" or \"10m\"", s)
			}
			*field(c) = d
			return nil
		},
		show: func(c *Config) string { return field(c).String() },
	}
}

// orNever makes a duration take "0s", which means that the time never comes.
func orNever(s setting, field func(*Config) *time.Duration) setting {
	positive := s.parse
	s.parse = func(c *Config, text string) error {
		if d, err := time.ParseDuration(text); err == nil && d == 0 {
			*field(c) = 0
			return nil
		}
		return positive(c, text)
	}
	return s
}
