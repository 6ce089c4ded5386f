package app

import (
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/tools/plugin/hook"
)

// openHooks makes the hooks of the configuration's programs. What hooks say is put on
// record; where that fails, the ledger is not healthy, and says so.
func (h *Core) openHooks() {
	h.Hooks = hook.New(hook.Options{
		Record: func(kind, text string) { _ = h.recorder.Note(ledger.Note{Kind: kind, Text: text, By: "hook"}) },
		Tell:   h.tell,
	})
	var all []hook.Hook
	for _, p := range h.config.HookPrograms() {
		all = append(all, p.Hook())
	}
	h.Hooks.Replace("configuration", all...)
}
