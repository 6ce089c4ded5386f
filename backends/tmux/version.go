package tmux

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Version is a tmux release.
type Version struct{ Major, Minor int }

// MinVersion is the oldest tmux that can be driven: the first one with
// "send-keys -H".
var MinVersion = Version{3, 0}

// Feature is something that not every tmux from MinVersion on has.
type Feature uint8

// The features that matter here. Format variables are no features: one that a
// tmux does not know comes out empty, which every reader of them takes.
const (
	// TrailingBlanks is capture-pane -N, without which blanks with a
	// background at the end of a line are lost.
	TrailingBlanks Feature = iota
	// LeaveMode is copy-mode -q, which does nothing outside a mode. Before, the
	// mode is left by a command of its own that may fail.
	LeaveMode
	// ClientFlags is attach-session -f with pause-after and ignore-size, and
	// refresh-client -A. Before, a stalled link stalls the pane, and a control
	// client without a size is ignored anyhow.
	ClientFlags
	// Subscriptions is refresh-client -B that can be used. There is one since 3.2,
	// but the whole server ends with a segmentation fault when it looks at what a
	// client has subscribed to whose session has just ended (measured: 3.3a, 3.5a).
	// Before, it is asked what has ended: see deaths.go.
	Subscriptions
	// PaneOptions is synchronize-panes as an option of a pane. Before, it is
	// asked for each time when something is typed.
	PaneOptions
	// SourceInput is source-file with commands from standard input, which are as long as they
	// like (measured: 3.3a). Before, a message to the server has them, of at most 16 KiB.
	SourceInput
	// ClientDetached is the notification by which one learns at once that
	// somebody has gone.
	ClientDetached
	// RawPaste is paste-buffer -S, without which these releases write control
	// characters and what is no UTF-8 in letters ("^[", "M-C").
	RawPaste
)

// since has the first release with each feature (from tmux's CHANGES).
var since = [...]Version{
	TrailingBlanks: {3, 1},
	LeaveMode:      {3, 2},
	ClientFlags:    {3, 2},
	Subscriptions:  {3, 7},
	PaneOptions:    {3, 2},
	SourceInput:    {3, 3},
	ClientDetached: {3, 3},
	RawPaste:       {3, 7},
}

// Has reports whether a release has a feature.
func (v Version) Has(f Feature) bool { return v.AtLeast(since[f].Major, since[f].Minor) }

// AtLeast reports whether v is the given release or a later one.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// String implements fmt.Stringer.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^tmux (?:next-)?(\d{1,4})\.(\d{1,4})`) })

// parseVersion reads the answer of "tmux -V": "tmux 3.3a", "tmux next-3.5". A
// build that carries no release number ("tmux master", "tmux openbsd-7.5") is
// newer than every check made here.
func parseVersion(s string) (Version, error) {
	s = strings.TrimSpace(s)
	if m := numbered().FindStringSubmatch(s); m != nil {
		major, _ := strconv.Atoi(m[1]) // at most four digits each
		minor, _ := strconv.Atoi(m[2])
		return Version{major, minor}, nil
	}
	if strings.HasPrefix(s, "tmux ") && len(s) > len("tmux ") {
		return Version{99, 0}, nil
	}
	return Version{}, fmt.Errorf("tmux: not an answer of tmux -V: %q", s)
}
