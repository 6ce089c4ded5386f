package guide

import (
	"fmt"
	"sort"
	"strings"
)

// deletedLine lists open files that no folder has any more: they take room until the
// processes that have them open close them. Linux shows a process's open files as links;
// the sizes are in KiB, the first line is the device of the folder that is meant.
func deletedLine(folder string) string {
	return `stat -c 'device %d' -- ` + folder +
		`; find -L /proc/[0-9]*/fd -maxdepth 1 -type f -links 0 -printf 'file %k %D %i %p\n'` +
		`; find /proc/[0-9]*/fd -maxdepth 1 -lname '*(deleted)' -printf 'name %p %l\n'`
}

// deleted is an open file that no folder has any more.
type deleted struct {
	fd, pid string
	bytes   float64
}

// readDeleted reads the output of deletedLine: the files of its device, the largest first,
// each once, whoever has it open.
func readDeleted(o outcome) (list []deleted, names map[string]string, known bool) {
	names = map[string]string{}
	device, seen := "", map[string]bool{}
	for _, line := range o.lines() {
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == "device":
			device = f[1]
		case len(f) == 5 && f[0] == "file" && f[2] == device:
			bytes, ok := kibibytes(f[1])
			pid, _, _ := strings.Cut(strings.TrimPrefix(f[4], "/proc/"), "/")
			if ok && !seen[f[3]] {
				seen[f[3]] = true
				list = append(list, deleted{fd: f[4], pid: pid, bytes: bytes})
			}
		case len(f) >= 3 && f[0] == "name":
			_, path, _ := strings.Cut(strings.TrimPrefix(line, "name "), " ")
			names[f[1]] = strings.TrimSuffix(path, " (deleted)")
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].bytes > list[j].bytes })
	return list, names, device != ""
}

// sayDeleted says which deleted files take room. missing is what is used and in no folder
// that could be read, in bytes.
func sayDeleted(o outcome, missing float64) (text string, bytes float64) {
	list, names, known := readDeleted(o)
	if o.denied || !known || absent().MatchString(o.stderr) {
		if missing == 0 {
			return "", 0
		}
		return "Whether deleted files are still open cannot be said here.", 0
	}
	var items []string
	for _, d := range list {
		bytes += d.bytes
		if d.bytes > 0 && len(items) < 4 {
			items = append(items, fmt.Sprintf("%s (%s, pid %s)", code(names[d.fd]), sayBytes(d.bytes), code(d.pid)))
		}
	}
	if len(items) == 0 {
		return "", 0
	}
	return fmt.Sprintf("Another **%s** is in files that were deleted while a process has them open: %s. That room comes back when the process closes them or ends.",
		sayBytes(bytes), series(items)), bytes
}
