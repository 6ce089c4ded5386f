// Package topics has the reference in pages of Markdown: "nod help TOPIC" prints one, and the
// manual has all of them. A topic is a file NAME.md beside this one and a row in [All].
package topics

import (
	"embed"
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"

	"github.com/nod-console/nod/backends/ssh"
)

// pages are the short pages of the reference, in Markdown: "nod help TOPIC" prints
// one, and the manual has all of them, in the order of All.
//
//go:embed *.md
var pages embed.FS

// Topic is a page of the reference.
type Topic struct{ Name, Short string }

// All are the topics, in the order in which they are listed.
var All = []Topic{
	{"prompt", "what a prompt can name: files and targets"},
	{"approval", "when nod asks, the keys of its question, and what comes after"},
	{"screen", "sizes and places, keys of your own, writing ahead"},
	{"overview", "all targets at once: how they do, what runs, what waits for you"},
	{"configuration", "the configuration file and its settings"},
	{"models", "a model behind the OpenAI protocol"},
	{"tools", "what the model can use: files and the web"},
	{"fleets", "many targets in one call, and how sets of them are named"},
	{"mcp", "servers whose tools the model can use (MCP)"},
	{"commands", "commands of your own"},
	{"plugins", "tools, hooks and commands of your own, in Lua"},
	{"hooks", "programs and plugins that may deny what happens"},
	{"agents", "agents of your own, in JavaScript"},
	{"remember", "conversations, memory, skills and sub-agents"},
	{"rules", "what runs by itself, asks or is denied: posture and rules"},
	{"hosts", "hosts over ssh"},
	{"ssh_config", "what becomes of each option of ssh_config"},
	{"containers", "containers of Docker and Podman"},
	{"panes", "panes, what they have in their environment, the shell's history"},
	{"shells", "which shells are tracked in panes, and what changes that"},
	{"confinement", "what runs where the kernel lets it change nothing"},
	{"record", "what ran: the record and the recordings of panes"},
	{"outcomes", "what nod run prints with --json, and how it ends"},
	{"environment", "the variables that nod reads"},
	{"files", "the files and folders that nod reads and writes"},
	{"status", "exit statuses"},
}

// Page is the text of a topic.
func Page(name string) string {
	text, err := pages.ReadFile(name + ".md")
	if err != nil {
		panic(err) // it is embedded, and a test reads all
	}
	if name == "ssh_config" {
		return string(text) + sshOptions()
	}
	return string(text)
}

// sshOptions are the options of ssh_config and what becomes of them.
func sshOptions() string {
	var text strings.Builder
	for _, k := range ssh.Keywords() {
		fmt.Fprintf(&text, "    %s: %s", k.Name, k.Status)
		if k.Note != "" {
			fmt.Fprintf(&text, " (%s)", k.Note)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// Manual is all topics as sections of a manual page.
func Manual() string {
	var text strings.Builder
	for _, t := range All {
		title, body, _ := strings.Cut(Page(t.Name), "\n")
		text.WriteString("\n" + strings.ToUpper(title) + "\n" + body)
	}
	// A page begins with a title of its own, which this one has already.
	_, sections, _ := strings.Cut(string(md2man.Render([]byte("# title\n"+text.String()))), ".SH")
	return ".SH" + sections
}
