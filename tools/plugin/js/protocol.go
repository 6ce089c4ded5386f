package js

import (
	"encoding/json"
	"regexp"
	"sync"
)

// Command is the argument with which nod is started again to be an agent's process.
const Command = "agent-process"

// Bounds of what an agent registers.
const (
	MaxTools = 32
	MaxTurns = 100
)

// Start is the parameter of the call "start".
type Start struct {
	Agent    string            `json:"agent"`
	Version  string            `json:"version"` // nod's own
	Files    map[string]string `json:"files"`   // the agent's .js and .mjs files
	Memory   int64             `json:"memory"`
	CPU      int               `json:"cpu"`      // seconds
	Unsealed bool              `json:"unsealed"` // go on where the system cannot seal
}

// MainCall is the parameter of the call "main".
type MainCall struct {
	Entry string `json:"entry"` // which of the files is run
	Goal  string `json:"goal"`  // the global goal
}

// Registered is the answer to "main": what the agent's code has registered.
type Registered struct {
	SystemPrompt string `json:"system_prompt"`
	MaxTurns     int    `json:"max_turns"` // 0: not set
	Tools        []Tool `json:"tools"`
}

// Tool is a tool that an agent has registered.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON Schema of type object
}

// ToolCall is the parameter of the call "tool".
type ToolCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON
}

var name = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`) })

// ValidName reports whether a tool or an agent can be called that.
func ValidName(s string) bool { return name().MatchString(s) }
