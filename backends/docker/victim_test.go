package docker_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/docker"
)

// beVictim starts programs and waits to be killed.
func beVictim() {
	ctx := context.Background()
	fatal := func(err error) {
		if err != nil {
			fmt.Println("fatal:", err)
			os.Exit(1)
		}
	}
	e, err := docker.Dial(ctx, docker.Address{URL: "unix://" + os.Getenv("NOD_TEST_SOCKET")}, nil)
	fatal(err)
	if os.Getenv("NOD_TEST_VICTIM") == "stranger" {
		return
	}
	target, err := docker.Open(ctx, e, os.Getenv("NOD_TEST_VICTIM"), docker.Options{})
	fatal(err)
	_, err = target.Exec(ctx, backends.Command{Argv: sh("trap '' TERM; sleep 4712 & sleep 4712; sleep 4712")})
	fatal(err)
	_, err = target.Terminal(ctx, backends.Command{Argv: []string{"sleep", "4712"}}, backends.Size{Cols: 80, Rows: 24})
	fatal(err)
	select {}
}
