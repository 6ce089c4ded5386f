package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

func (a *program) keyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "key NAME",
		Short: "put a model's key into the desktop's keyring",
		Long: `key asks for an API key without showing it, or reads it from standard input, and
puts it into the desktop's keyring. In [model.NAME], keyring = "NAME" then uses it.`,
		Example: `  nod config key work`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return errors.New("config key: want the name that keyring = \"…\" has")
			}
			key, err := a.readKey(cmd, args[0])
			if err != nil {
				return fmt.Errorf("config key: %w", err)
			}
			if key = strings.TrimSpace(key); key == "" {
				return errors.New("config key: no key was given; nothing is changed")
			}
			if err := config.StoreKey(args[0], key, a.Getenv); err != nil {
				return err
			}
			return a.Printf("stored; use it with keyring = %q in the model's section\n", args[0])
		},
	}
}

// readKey reads a key without an echo, or from a pipe.
func (a *program) readKey(cmd *cobra.Command, name string) (string, error) {
	if !a.OnInput() {
		data, err := io.ReadAll(io.LimitReader(a.In, 64<<10))
		return string(data), err
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer tty.Close() //nolint:errcheck // it was read and written a line at a time
	return (&questions.Terminal{Tty: tty}).Ask(cmd.Context(), "The key for "+name+": ", false)
}
