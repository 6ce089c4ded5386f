package pane

import "github.com/nod-console/nod/backends/pane/shells"

// Shell is a family of shells that can be tracked.
type Shell = shells.Family

// The families.
const (
	NoShell = shells.None
	Bash    = shells.Bash
	OldBash = shells.OldBash
	Posix   = shells.Posix
	Zsh     = shells.Zsh
	Fish    = shells.Fish
)
