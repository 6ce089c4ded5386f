package guide

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// sizes is what du said of folders and files below a root, in bytes, and what it could
// not read.
type sizes struct {
	root   string
	of     map[string]float64
	below  map[string][]string // what was listed directly in a folder, the largest first
	denied []string
}

// duLine lists the largest folders and files of a folder, on its file system, with their
// sizes in KiB. What is far smaller than used, in bytes, is left out before the sorting:
// on a full disk there is no room for sort's own files.
func duLine(folder string, used float64) string {
	digits := 3
	for least := 1000.0 * 1024; least < notable/10*used; least *= 10 {
		digits++
	}
	return fmt.Sprintf(`du -xak -- %s | grep '^[0-9]\{%d\}' | sort -rn | head -n 100`, folder, digits)
}

var duDenied = lazy(`(?m)^du: [^/\n]*(/.*?)['’"”]?: [^:\n]+$`)

// readSizes reads the output of a du that was begun at root. A name with a line break in
// it makes lines that are none: what is in no folder that was listed, or larger than what
// is left of its folder, is left out.
func readSizes(root string, o outcome) *sizes {
	s := &sizes{root: root, of: map[string]float64{}, below: map[string][]string{}, denied: unreadable(o)}
	var list []sized
	for _, line := range o.lines() {
		size, path, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if bytes, sound := kibibytes(size); ok && sound && strings.HasPrefix(path, "/") {
			list = append(list, sized{path, bytes})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { // a folder before what is in it
		a, b := list[i], list[j]
		return a.bytes > b.bytes || a.bytes == b.bytes && a.path < b.path
	})
	left := map[string]float64{}
	for _, e := range list {
		if _, known := s.of[e.path]; known {
			continue
		}
		if e.path != root {
			parent := parentOf(e.path)
			if room, listed := left[parent]; !listed || e.bytes > room {
				continue
			}
			left[parent] -= e.bytes
			s.below[parent] = append(s.below[parent], e.path)
		}
		s.of[e.path], left[e.path] = e.bytes, e.bytes
	}
	return s
}

// unreadable are the folders and files that du says it could not read.
func unreadable(o outcome) (paths []string) {
	for _, said := range []string{o.text, o.stderr} {
		for _, m := range duDenied().FindAllStringSubmatch(said, -1) {
			if !strings.HasSuffix(m[0], "No such file or directory") && !slices.Contains(paths, m[1]) {
				paths = append(paths, m[1])
			}
		}
	}
	return paths
}

// sized is a file or folder with its size in bytes.
type sized struct {
	path  string
	bytes float64
}

func parentOf(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/"
	}
	return path[:i]
}

const (
	// enough is the part of what is used that has to be named.
	enough = 0.8
	// notable is the part from which on something is named by itself.
	notable = 0.02
	// scattered is the same where what is used lies in many places.
	scattered = 0.005
	// mostNamed bounds what an answer names.
	mostNamed = 12
)

// named are the folders and files that hold what is used, the largest first: as deep as
// they can be while they still hold enough of it together.
func (s *sizes) named(used float64) []string {
	list := []string{s.root}
	sum := s.of[s.root]
	goal := min(enough*used, 0.95*sum)
	for final := map[string]bool{}; ; {
		at := -1
		for i, path := range list {
			if !final[path] && (at < 0 || s.of[path] > s.of[list[at]]) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		var parts []string
		rest := sum - s.of[list[at]]
		for _, path := range s.below[list[at]] {
			if s.of[path] < notable*used || len(list)-1+len(parts) == mostNamed {
				break
			}
			parts = append(parts, path)
			rest += s.of[path]
		}
		if len(parts) == 0 || rest < goal {
			final[list[at]] = true
			continue
		}
		sum = rest
		list = slices.Concat(list[:at], list[at+1:], parts)
	}
	sort.SliceStable(list, func(i, j int) bool { return s.of[list[i]] > s.of[list[j]] })
	return list
}

// say names where what is used is.
func (s *sizes) say(named []string, used float64) string {
	if len(named) == 1 && named[0] == s.root {
		text := fmt.Sprintf("%s holds %s", code(s.root), sayBytes(s.of[s.root]))
		parts := s.below[s.root]
		some := 0
		for some < min(len(parts), mostNamed) && (some == 0 || s.of[parts[some]] >= scattered*used) {
			some++
		}
		if some > 0 {
			text += ", much of it in many places; the largest in it are " + series(s.items(parts[:some]))
		}
		return text + "."
	}
	return fmt.Sprintf("Of the %s used under %s, **%.0f %%** is in %s.", sayBytes(used), code(s.root),
		min(100, 100*s.sum(named)/used), series(s.items(named)))
}

// sum is what paths hold together.
func (s *sizes) sum(paths []string) (bytes float64) {
	for _, path := range paths {
		bytes += s.of[path]
	}
	return bytes
}

// items are paths with their sizes.
func (s *sizes) items(paths []string) (items []string) {
	for _, path := range paths {
		items = append(items, fmt.Sprintf("%s (%s)", code(path), sayBytes(s.of[path])))
	}
	return items
}

// kibibytes reads a plain number of KiB, in bytes.
func kibibytes(s string) (bytes float64, ok bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, ok := number(s)
	return n * 1024, ok
}

// sayBytes writes a size as people do.
func sayBytes(n float64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.0f KiB", n/1024)
	}
	return mebibytes(n / (1 << 20))
}
