package local

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// inherited are the names that programs get from nod's own environment: who
// and where the user is, and how they want to be spoken to. Nothing in it is
// secret, and nothing in it makes programs run other programs (no EDITOR, no
// PAGER, no LD_PRELOAD). SSH_AUTH_SOCK is not in it either: access to the
// operator's keys is theirs to give.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL",
	"LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "TMPDIR",
	"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME",
	"XDG_DATA_DIRS", "XDG_STATE_HOME", "XDG_CACHE_HOME",
	"DBUS_SESSION_BUS_ADDRESS", "TMUX_TMPDIR",
}

// defaultPath is used where the environment has no PATH.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// inherit keeps the allow-listed settings of an environment.
func inherit(environ []string) []string {
	var kept []string
	for _, kv := range environ {
		name, _, ok := strings.Cut(kv, "=")
		if ok && (slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_")) {
			kept = append(kept, kv)
		}
	}
	if valueOf(kept, "PATH") == "" {
		kept = append(kept, "PATH="+defaultPath)
	}
	return kept
}

// merge returns base with the additional settings on top, one for each name.
func merge(base, extra []string) ([]string, error) {
	for _, kv := range extra {
		if i := strings.IndexByte(kv, '='); i <= 0 || strings.IndexByte(kv, 0) >= 0 {
			return nil, fmt.Errorf("local: the environment setting %q is not NAME=value", kv)
		}
	}
	all := slices.Concat(base, extra)
	last := make(map[string]int, len(all))
	for i, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		last[name] = i
	}
	env := make([]string, 0, len(last))
	for i, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		if last[name] == i {
			env = append(env, kv)
		}
	}
	return env, nil
}

// valueOf is the last value of name in env.
func valueOf(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			return v
		}
	}
	return ""
}

// lookup finds the file of a program as the kernel needs it. A name with a
// slash is left to the kernel.
func lookup(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	var denied bool
	for _, dir := range filepath.SplitList(valueOf(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case err != nil || !info.Mode().IsRegular():
		case info.Mode().Perm()&0o111 == 0:
			denied = true
		default:
			return path, nil
		}
	}
	if denied {
		return "", fmt.Errorf("local: program %q in PATH is not executable: %w", name, fs.ErrPermission)
	}
	return "", fmt.Errorf("local: no program %q in PATH: %w", name, fs.ErrNotExist)
}
