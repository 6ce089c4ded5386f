package app

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/tools/plugin"
	"github.com/nod-console/nod/tools/plugin/lua"
)

// PluginStore is where plugins are installed.
func PluginStore(state string) plugin.Store {
	return plugin.Store{Dir: filepath.Join(state, "plugins")}
}

// PluginOptions say how nod runs a plugin.
func PluginOptions(told func(name, method, text string)) (plugin.Options, error) {
	self := "/proc/self/exe" // also where nod was replaced since it was started
	if runtime.GOOS != "linux" {
		var err error
		if self, err = os.Executable(); err != nil {
			return plugin.Options{}, err
		}
	}
	return plugin.Options{Program: []string{self, lua.Command}, Told: told}, nil
}

// openPlugins makes the set of plugins. Those with hooks are started, the others with the
// agent.
func (h *Core) openPlugins() error {
	options, err := PluginOptions(func(name, method, text string) {
		if method == "notify" {
			h.tell("plugin " + name + ": " + text)
		}
	})
	if err != nil {
		return fmt.Errorf("plugins: %w", err)
	}
	h.Plugins = plugin.Open(plugin.SetOptions{
		Store: PluginStore(h.State), Run: options, Registry: h.Tools, Reserved: builtin, Hooks: h.Hooks, Warn: h.tell,
		Record: func(text string) {
			_ = h.recorder.Note(ledger.Note{Kind: "plugin exchanged", Text: text, By: process.Operator()})
		},
	})
	h.closers = append(h.closers, func() error { h.Plugins.Close(); return nil })
	return nil
}

func (h *Core) tell(text string) {
	if h.warn != nil {
		h.warn(text)
	}
}

// PluginLines are the lines of /plugins.
func PluginLines(s *plugin.Set) []string {
	var lines []string
	for _, st := range s.Statuses() {
		lines = append(lines, st.Line())
		for _, part := range []struct {
			word  string
			names []string
		}{{"tools", st.Tools}, {"left out", st.LeftOut}, {"hooks", st.Hooks}, {"commands", st.Commands}} {
			if len(part.names) > 0 {
				lines = append(lines, "  "+part.word+": "+strings.Join(part.names, ", "))
			}
		}
	}
	if lines == nil {
		lines = []string{"no plugin is installed; nod help plugins says how one is written"}
	}
	return lines
}
