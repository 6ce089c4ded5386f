package guide

import (
	"regexp"
	"sync"
)

// lazy compiles a pattern when it is first used: dozens of them at the start of
// every nod would cost more than the rest of the start.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
