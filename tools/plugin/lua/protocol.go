package lua

import (
	"encoding/json"
	"strings"

	"github.com/nod-console/nod/tools"
)

// Command is the argument with which nod is started again to be a plugin's process.
const Command = "plugin-process"

// MaxTools is how many tools one plugin can have.
const MaxTools = 32

// MaxCommands is how many commands one plugin can have.
const MaxCommands = 16

// Start is the parameter of the call "start".
type Start struct {
	Plugin   string            `json:"plugin"`
	Entry    string            `json:"entry"`  // which of the files is run
	Files    map[string]string `json:"files"`  // the plugin's .lua files
	Config   map[string]any    `json:"config"` // what nod.config is
	Test     string            `json:"test"`   // a file that is run behind the entry; empty: none
	Memory   int64             `json:"memory"`
	CPU      int               `json:"cpu"`      // seconds
	Unsealed bool              `json:"unsealed"` // go on where the system cannot seal
}

// Registered is the answer to "start": what the plugin's code has registered.
type Registered struct {
	Tools    []Tool       `json:"tools"`
	Hooks    []string     `json:"hooks"` // events
	Commands []OwnCommand `json:"commands"`
}

// Tool is a tool that a plugin has registered.
type Tool struct {
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	Parameters     json.RawMessage `json:"parameters"` // a JSON Schema of type object
	Parallelizable bool            `json:"parallelizable"`
	Risk           string          `json:"risk"` // what its commands claim: low, medium, high
}

// ToolCall is the parameter of the call "tool".
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// OwnCommand is a command of the operator's that a plugin has registered.
type OwnCommand struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Args        string `json:"args"` // what follows it, in words; empty: nothing
}

// HookCall is the parameter of the call "hook". The answer is a hook's.
type HookCall struct {
	Event string          `json:"event"`
	Told  json.RawMessage `json:"told"`
}

// CommandCall is the parameter of the call "command".
type CommandCall struct {
	Name string `json:"name"`
	Args string `json:"args"` // what the operator has written behind the command
}

// CommandResult is the answer to the call "command": a text for the operator, a prompt for
// the model, or both.
type CommandResult struct {
	Print  string `json:"print"`
	Prompt string `json:"prompt"`
}

// ValidCommand reports whether a command can be called that.
func ValidCommand(s string) bool {
	return ValidName(s) && len(s) <= 32 && !strings.ContainsAny(s, "_0123456789")
}

// ValidName reports whether a tool or a plugin can be called that.
func ValidName(s string) bool { return tools.ValidName(s) }
