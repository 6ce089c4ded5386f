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
	"os/signal"
	"syscall"
)

// version is set by the build.
var version = "dev"

func main() { os.Exit(mainStatus()) }

// mainStatus runs the program until it ends or a signal asks it to.
func mainStatus() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return newApp(standardStreams(), os.Getenv).run(ctx, os.Args[1:])
}
