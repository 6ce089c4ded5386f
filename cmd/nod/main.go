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

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
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

// mainStatus runs the program until it ends or a signal asks it to.
func mainStatus() int {
	var env process.Environment
	env.Hide(targets.Withheld...)
	a := newProgram(env.Get)
	a.hide = env.Hide
	ctx, stop := a.Signals.Until(context.Background())
	defer stop()
	return a.run(ctx, os.Args[1:])
}
