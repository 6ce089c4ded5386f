package risk

import (
	_ "embed"
	"fmt"
	"path"
	"strings"
	"sync"
)

//go:embed data/needs.list
var needsList string

// Needs is a set of doors that a cage which keeps a command from changing anything
// must leave open, so that the command answers as it does without the cage. What a
// verdict lists is what its programs are known to use; it permits nothing by itself.
type Needs uint8

const (
	// NeedUnix is talking over unix sockets: docker, systemctl.
	NeedUnix Needs = 1 << iota
	// NeedNet is talking over TCP, UDP and raw sockets, and looking names up.
	NeedNet
	// NeedAdmin is CAP_NET_ADMIN, with which tables of the network are read.
	NeedAdmin
	// NeedTerminal is setting the terminal's modes: less, top.
	NeedTerminal
	// NeedProcesses is looking into other processes: lsof, /proc/PID/fd.
	NeedProcesses
	// NeedFree is to run without a cage: within one the command fails, or says less
	// and does not tell. Programs that run with their owner's rights are of this kind.
	NeedFree
)

// needLetters are in the order of the bits, which is the order in text.
const needLetters = "UIATPF"

// Has reports whether every need of o is in n.
func (n Needs) Has(o Needs) bool { return n&o == o }

// String returns the letters of the needs in a fixed order: U (unix sockets), I
// (network), A (CAP_NET_ADMIN), T (terminal modes), P (other processes), F (no cage).
func (n Needs) String() string {
	var b strings.Builder
	for i := range needLetters {
		if n&(1<<i) != 0 {
			b.WriteByte(needLetters[i])
		}
	}
	return b.String()
}

// ParseNeeds reads letters as String writes them, in any order.
func ParseNeeds(letters string) (Needs, error) {
	var n Needs
	for _, r := range letters {
		i := strings.IndexRune(needLetters, r)
		if i < 0 {
			return 0, fmt.Errorf("unknown need %q: want letters of %s", string(r), needLetters)
		}
		n |= 1 << i
	}
	return n, nil
}

// MarshalText writes the letters.
func (n Needs) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads letters.
func (n *Needs) UnmarshalText(b []byte) error {
	read, err := ParseNeeds(string(b))
	if err == nil {
		*n = read
	}
	return err
}

// programNeeds are what programs need, whatever they are asked.
var programNeeds = sync.OnceValue(func() map[string]Needs {
	needs, err := loadNeeds(needsList)
	if err != nil {
		panic(err) // a fault of the build, found by the tests
	}
	return needs
})

// loadNeeds reads lines of letters and programs. A program may stand in several.
func loadNeeds(text string) (map[string]Needs, error) {
	all := map[string]Needs{}
	line := 0
	for row := range strings.Lines(text) {
		line++
		fields := strings.Fields(row)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		n, err := ParseNeeds(fields[0])
		if err != nil {
			return nil, fmt.Errorf("risk: needs.list:%d: %w", line, err)
		}
		for _, name := range fields[1:] {
			if all[name].Has(n) {
				return nil, fmt.Errorf("risk: needs.list:%d: the needs %s of %q are listed above already", line, n, name)
			}
			all[name] |= n
		}
	}
	return all, nil
}

// closedFiles are the files below /proc/PID that the kernel shows to those alone who
// may look into the process.
var closedFiles = map[string]bool{
	"fd": true, "fdinfo": true, "environ": true, "maps": true, "smaps": true, "smaps_rollup": true, "numa_maps": true,
	"exe": true, "cwd": true, "root": true, "ns": true, "io": true, "mem": true, "auxv": true, "stack": true, "syscall": true,
	"map_files": true, "personality": true, "pagemap": true, "timers": true, "wchan": true, "patch_state": true,
}

// pathNeeds counts what reading a path, or only its names, takes.
func (a *assessor) pathNeeds(text string) {
	text = path.Clean(text)
	if isNetwork(text) {
		a.needs |= NeedNet
	}
	rest, ok := strings.CutPrefix(text, "/proc/")
	if !ok {
		return
	}
	process, rest, _ := strings.Cut(rest, "/")
	if process == "self" || process == "thread-self" || strings.Trim(process, "0123456789*?[]-\x00\x01") != "" {
		return
	}
	if sub, ok := strings.CutPrefix(rest, "task/"); ok {
		_, rest, _ = strings.Cut(sub, "/")
	}
	name, _, _ := strings.Cut(rest, "/")
	if closedFiles[name] || loose(name) {
		a.needs |= NeedProcesses
	}
}

// elsewhere runs f for what runs on another host or in a container: what it needs is
// needed there.
func (a *assessor) elsewhere(f func()) {
	saved := a.needs
	f()
	a.needs = saved
}

// ofShell notes that the command belongs to the shell which reads it: another shell
// would change, or show, a state of its own.
func (a *assessor) ofShell() { a.inShell = true }

// unread records that a part of the action was not understood: nothing is known
// against it, but it may do what e and f say.
func (a *assessor) unread(e Effect, f Flags, rule, why string, at word) {
	a.unreads++
	a.record(e, f, rule, why, at)
}

// ofShell are the built-in commands of shells that have no table with the trait
// builtin.
var ofShell = map[string]bool{
	"cd": true, "pushd": true, "popd": true, "read": true, "trap": true, "alias": true, "set": true, "exec": true,
	"source": true, ".": true, "unset": true, "let": true,
}

// by is how a trait of the data files counts: as unread if it says so.
func (a *assessor) by(t trait) func(Effect, Flags, string, string, word) {
	if t.unread {
		return a.unread
	}
	return a.note
}
