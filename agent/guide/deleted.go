package guide

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// deletedLine lists open files that no folder has any more: they take room until the
// process that has them open ends.
const deletedLine = "lsof -nP +L1"

// deleted is an open file that no folder has any more.
type deleted struct {
	program, pid, path string
	bytes              float64
}

// parseDeleted reads lsof +L1 (COMMAND PID USER FD TYPE DEVICE SIZE/OFF NLINK NODE NAME),
// the largest first. Each file counts once, whoever has it open.
func parseDeleted(o outcome) []deleted {
	var list []deleted
	seen := map[string]bool{}
	for _, line := range o.lines() {
		f := strings.Fields(line)
		if len(f) < 10 || f[4] != "REG" || f[7] != "0" {
			continue
		}
		bytes, err := strconv.ParseFloat(f[6], 64)
		file := f[5] + " " + f[8] // device and inode
		if err != nil || seen[file] {
			continue
		}
		seen[file] = true
		path := strings.TrimSuffix(strings.Join(f[9:], " "), " (deleted)")
		list = append(list, deleted{program: f[0], pid: f[1], path: path, bytes: bytes})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].bytes > list[j].bytes })
	return list
}

// deletedOn are those of a file system: the mounts say which one a path is on.
func deletedOn(list []deleted, at string, mounts []mount) []deleted {
	var on []deleted
	for _, d := range list {
		best := ""
		for _, m := range mounts {
			if within(d.path, m.at) && len(m.at) > len(best) {
				best = m.at
			}
		}
		if best == at {
			on = append(on, d)
		}
	}
	return on
}

// within reports whether a path is a folder or in it.
func within(path, folder string) bool {
	return folder == "/" && strings.HasPrefix(path, "/") || path == folder || strings.HasPrefix(path, strings.TrimRight(folder, "/")+"/")
}

func sayDeleted(list []deleted) (text string, bytes float64) {
	var items []string
	for _, d := range list {
		bytes += d.bytes
		if len(items) < 4 {
			items = append(items, fmt.Sprintf("%s (%s, %s, pid %s)", code(d.path), sayBytes(d.bytes), code(d.program), code(d.pid)))
		}
	}
	if len(items) == 0 {
		return "", 0
	}
	return fmt.Sprintf("Another **%s** is in files that were deleted while a process has them open: %s. That room comes back when the process closes them or ends.",
		sayBytes(bytes), series(items)), bytes
}
