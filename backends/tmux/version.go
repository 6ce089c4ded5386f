package tmux

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Version is a tmux release.
type Version struct{ Major, Minor int }

// MinVersion is the oldest tmux that can be driven: the first one with
// "send-keys -H".
var MinVersion = Version{3, 0}

// AtLeast reports whether v is the given release or a later one.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

var numbered = regexp.MustCompile(`^tmux (?:next-)?(\d{1,4})\.(\d{1,4})`)

// parseVersion reads the answer of "tmux -V": "tmux 3.3a", "tmux next-3.5". A
// build that carries no release number ("tmux master", "tmux openbsd-7.5") is
// newer than every check made here.
func parseVersion(s string) (Version, error) {
	s = strings.TrimSpace(s)
	if m := numbered.FindStringSubmatch(s); m != nil {
		major, _ := strconv.Atoi(m[1]) // at most four digits each
		minor, _ := strconv.Atoi(m[2])
		return Version{major, minor}, nil
	}
	if strings.HasPrefix(s, "tmux ") && len(s) > len("tmux ") {
		return Version{99, 0}, nil
	}
	return Version{}, fmt.Errorf("tmux: not an answer of tmux -V: %q", s)
}
