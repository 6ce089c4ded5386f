// Command nod is an operations console: a language model works on servers in
// terminal panes that the operator watches, and whatever could change
// something waits for the operator's nod.
//
// This package reads flags and configuration and composes the parts; it is the
// only place where they meet.
package main

import (
	"context"
	"os"
	"sync"

	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/tools/plugin/js"
	"github.com/nod-console/nod/tools/plugin/lua"
)

// version is set by the build.
var version = "dev"

func main() {
	if len(os.Args) == 2 && os.Args[1] == lua.Command {
		lua.Main()
		return
	}
	if len(os.Args) == 2 && os.Args[1] == js.Command {
		js.Main()
		return
	}
	os.Exit(mainStatus())
}

// environment is what nod was started with. Its secrets are kept here alone: no
// program that nod starts, by whatever part of it, finds them in its own.
type environment struct {
	mu   sync.Mutex
	kept map[string]string
}

func (e *environment) get(name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if value, ok := e.kept[name]; ok {
		return value
	}
	return os.Getenv(name)
}

// hide takes variables out of what programs get.
func (e *environment) hide(names ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok && os.Unsetenv(name) == nil {
			e.kept[name] = value
		}
	}
}

// mainStatus runs the program until it ends or a signal asks it to.
func mainStatus() int {
	env := &environment{kept: map[string]string{}}
	env.hide(targets.Withheld...)
	a := newProgram(env.get)
	a.hide = env.hide
	ctx, stop := a.Signals.Until(context.Background())
	defer stop()
	return a.run(ctx, os.Args[1:])
}
