package slip

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/nod-console/nod/tools"
)

// otherNames are what tools of ours are called elsewhere.
var otherNames = map[string][]string{
	"run_shell":    {"bash", "shell", "sh", "exec", "execute", "execute_command", "run_command", "run_terminal_cmd", "terminal", "command", "cmd", "run"},
	"read_file":    {"cat", "view", "open", "open_file", "view_file", "file_read", "read"},
	"write_file":   {"create_file", "file_write", "save_file", "write", "create"},
	"edit_file":    {"str_replace", "str_replace_editor", "replace", "apply_patch", "patch", "edit", "search_replace"},
	"grep":         {"search", "search_files", "rg", "ripgrep", "grep_search", "codebase_search"},
	"glob":         {"ls", "list", "list_dir", "list_files", "find", "find_files", "file_search"},
	"send-keys":    {"type", "type_text", "press_keys", "keyboard", "send_input"},
	"capture-pane": {"screen", "screenshot", "read_terminal", "read_screen", "get_output"},
	"fetch_url":    {"curl", "browse", "browser", "web_fetch", "http_get", "open_url", "fetch"},
	"web_search":   {"google", "search_web", "brave_search"},
	"question":     {"ask", "ask_user", "ask_followup_question", "clarify"},
}

// maxNearest bounds the names that an unknown tool is answered with.
const maxNearest = 3

// Unknown tells the model which tools come nearest to one that there is not.
func Unknown(registry *tools.Registry, name string) tools.Result {
	type near struct {
		name     string
		distance int
	}
	wanted := plainName(name)
	var all []string
	var found []near
	for _, t := range registry.All() {
		if o, ok := t.(tools.Optional); ok && !o.Offered() {
			continue
		}
		all = append(all, t.Name())
		best := len(wanted) + 1
		for i, known := range append([]string{t.Name()}, otherNames[t.Name()]...) {
			known = plainName(known)
			d := levenshtein.ComputeDistance(wanted, known)
			if limit := max(len(known), len(wanted)) / 3; d > limit && (i > 0 || len(wanted) < 4 || !strings.Contains(known, wanted) && !strings.Contains(wanted, known)) {
				continue
			}
			best = min(best, d)
		}
		if best <= len(wanted) {
			found = append(found, near{t.Name(), best})
		}
	}
	slices.SortFunc(found, func(a, b near) int { return cmp.Or(a.distance-b.distance, strings.Compare(a.name, b.name)) })
	names := all
	if len(found) > 0 {
		names = nil
		for _, n := range found[:min(len(found), maxNearest)] {
			names = append(names, n.name)
		}
	}
	return tools.Failure("unknown_tool", fmt.Sprintf("there is no tool %q; the nearest: %s. Call one by exactly its name.", name, strings.Join(names, ", ")))
}
