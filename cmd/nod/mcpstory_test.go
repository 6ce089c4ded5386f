package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/backendtest"
)

// ticketServer is an MCP server of a few lines.
const ticketServer = `#!/bin/sh
while read -r line; do
	id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	case $line in
	*'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"tickets","version":"1"}}}\n' "$id" ;;
	*'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"close","description":"closes a ticket","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
	*'"method":"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"ticket 7 is closed"}]}}\n' "$id" ;;
	*'"method":"notifications/'*) ;;
	*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
	esac
done
`

// A server's tool is shown, accepted, asked about, called and on record; a command of the
// operator's own asks the model for it.
func TestAServersToolsInTheConsole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := serveModel(t, calls(call{"a", "tickets_close", map[string]any{"number": 7}}), says("It is closed."))
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	server := filepath.Join(w.home, "tickets")
	backendtest.WriteProgram(t, server, ticketServer)
	w.write(".config/nod/config.toml", "[tmux]\nsocket = \""+w.socket+"\"\n[mcp.tickets]\ncommand = \""+server+"\"\ntimeout = \"1h\"\n"+
		"[command.done]\nprompt = \"Close the ticket {{id}}.\"\nargs = [\"id\"]\n", 0o600)
	s := openDisplay(t, 120, 40, w.env(), w.nod)
	s.see("scripted", "1 tool of the MCP server tickets is new or changed")
	give := func(line string) {
		s.typed(line)
		s.press("Enter")
	}
	give("/mcp tickets")
	s.see("new tool close", "+ description: closes a ticket")
	give("/mcp accept tickets")
	s.see("tickets, and each call asks")
	give("/status")
	s.see("tickets (tickets 1)")
	give("/done 7")
	s.see("Close the ticket 7.", "APPROVE", `{"number":7}`)
	answer(s, "y")
	s.see("It is closed.", "nothing running")
	asked := m.asked()
	last := asked[1].Messages
	if text := last[len(last)-1].Content; !strings.Contains(text, "ticket 7 is closed") {
		t.Errorf("the model was told %s", text)
	}
	quit(s)
	if text := w.must("audit", "show"); !strings.Contains(text, "tickets_close") {
		t.Errorf("the record:\n%s", text)
	}
}
