package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nod-console/nod/tools/plugin/harmless"
	"github.com/nod-console/nod/tools/plugin/hook"
	"github.com/nod-console/nod/tools/plugin/lua"
)

// takeHooks checks the hooks that a plugin has registered against its manifest.
func (l *Loaded) takeHooks(events []string) error {
	for _, e := range events {
		if !slices.Contains(l.Permissions.Hooks, e) {
			return fmt.Errorf("it has a hook for %q, and permissions.hooks in its %s lacks it", harmless.Line(e, 40), ManifestName)
		}
	}
	for _, e := range l.Permissions.Required {
		if !slices.Contains(events, e) {
			return fmt.Errorf("permissions.required_hooks has %q, and its code registers no hook for it", e)
		}
	}
	l.hooks = events
	return nil
}

// Hooks are the events for which it has registered hooks.
func (l *Loaded) Hooks() []string { return l.hooks }

// Hook puts an event before its hook.
func (l *Loaded) Hook(ctx context.Context, e hook.Event) (hook.Answer, error) {
	told, err := json.Marshal(e)
	if err != nil {
		return hook.Answer{}, err
	}
	var answer json.RawMessage
	if err := l.host.Call(ctx, "hook", lua.HookCall{Event: e.Event, Told: told}, &answer, nil); err != nil {
		return hook.Answer{}, errors.New(harmless.Text(err.Error()))
	}
	return hook.Decode(answer)
}

// takeCommands checks once more what the process says that it has registered.
func (l *Loaded) takeCommands(commands []lua.OwnCommand) error {
	if len(commands) > lua.MaxCommands {
		return fmt.Errorf("it has %d commands; %d are the most", len(commands), lua.MaxCommands)
	}
	for _, c := range commands {
		if !lua.ValidCommand(c.Name) {
			return fmt.Errorf("its command %q has no name that one can have", harmless.Line(c.Name, 40))
		}
		c.Description, c.Args = harmless.Line(c.Description, 200), harmless.Line(c.Args, 80)
		l.commands = append(l.commands, c)
	}
	return nil
}

// Commands are the commands that it has registered.
func (l *Loaded) Commands() []lua.OwnCommand { return l.commands }

// Command runs one of its commands. What it returns is a plugin's word: a prompt is to be
// seen by the operator before it is sent.
func (l *Loaded) Command(ctx context.Context, name, args string) (lua.CommandResult, error) {
	var r lua.CommandResult
	if err := l.host.Call(ctx, "command", lua.CommandCall{Name: name, Args: args}, &r, nil); err != nil {
		return r, fmt.Errorf("plugin %s: /%s: %s", l.Name, name, harmless.Line(err.Error(), 500))
	}
	r.Print, r.Prompt = harmless.Text(r.Print), harmless.Text(r.Prompt)
	return r, nil
}
