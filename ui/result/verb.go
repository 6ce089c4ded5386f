package result

// verbs say in a word or two what a tool does with what its call is about. A command
// says that by itself.
var verbs = map[string]string{
	"run_shell": "", "send-keys": "type", "capture-pane": "look at the terminal", "jobs": "look at the jobs", "kill_job": "end job",
	"tmux-create-session": "tmux", "tmux-kill-session": "tmux", "tmux-create-pane": "tmux", "tmux-kill-pane": "tmux",
	"read_file": "read", "write_file": "write", "edit_file": "edit", "grep": "search for", "glob": "find",
	"fetch_url": "fetch", "web_search": "search the web for", "mcp_resource": "read resource",
	"question": "ask", "todo": "plan", "task": "send", "team": "send team", "team_room": "tell the team", "time": "look at the clock",
	"remember": "remember", "forget": "forget", "activate_skill": "use skill", "search_tools": "look for tools", "help": "read help on", "compact": "summarise",
}

// Verb is the word that a call of a tool begins with on the screen: "read" for
// read_file, nothing for a command, and for a tool that nod does not bring, as of a
// plugin, the tool's name.
func Verb(tool string) string {
	if verb, ok := verbs[tool]; ok {
		return verb
	}
	return tool
}
