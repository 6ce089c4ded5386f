package guide

import (
	"sort"
	"strings"

	"github.com/nod-console/nod/tools/risk"
)

// sizes is what du said of folders and files below a root, in bytes, and what it could
// not say.
type sizes struct {
	root   string
	of     map[string]float64
	below  map[string][]string // what was listed of a folder, directly in it
	looked map[string]bool     // folders from which du was begun
	denied []string            // what may not be read
}

func newSizes(root string) *sizes {
	return &sizes{root: root, of: map[string]float64{}, below: map[string][]string{}, looked: map[string]bool{}}
}

// duDepth is how many levels below its folder a du lists.
const duDepth = 3

// duLine lists the largest folders and files under a folder, on its file system.
func duLine(path string) string {
	return "du -xah -d 3 " + path + " | sort -rh | head -n 60"
}

var duDenied = lazy(`(?m)^du: .*?['‘"“](/.*)['’"”]: (?:Permission denied|Operation not permitted)\s*$`)

// add reads the output of a du that was begun at a folder.
func (s *sizes) add(from string, o outcome) {
	s.looked[from] = true
	for _, said := range []string{o.text, o.stderr} {
		for _, m := range duDenied().FindAllStringSubmatch(said, -1) {
			s.denied = append(s.denied, m[1])
		}
	}
	for _, line := range o.lines() {
		size, path, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			size, path, ok = strings.Cut(strings.TrimSpace(line), " ")
		}
		path = strings.TrimSpace(path)
		bytes, sound := sizeOf(size)
		if !ok || !sound || !strings.HasPrefix(path, "/") {
			continue
		}
		if path != "/" {
			path = strings.TrimRight(path, "/")
		}
		if _, known := s.of[path]; !known && path != s.root {
			s.below[parentOf(path)] = append(s.below[parentOf(path)], path)
		}
		s.of[path] = bytes
	}
}

func parentOf(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/"
	}
	return path[:i]
}

// unseen reports whether du has listed nothing in a path because it was too deep.
func (s *sizes) unseen(path string) bool {
	if len(s.below[path]) > 0 || s.looked[path] {
		return false
	}
	for at, depth := path, 0; ; at, depth = parentOf(at), depth+1 {
		if s.looked[at] {
			return depth >= duDepth
		}
		if at == "/" {
			return true
		}
	}
}

const (
	// enough is the part of what is used that has to be named.
	enough = 0.8
	// notable is the part from which on something is named by itself.
	notable = 0.02
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
		for _, path := range s.largest(list[at]) {
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
		list = append(append(list[:at:at], list[at+1:]...), parts...)
	}
	s.sort(list)
	return list
}

// largest is what was listed directly in a folder, the largest first.
func (s *sizes) largest(folder string) []string {
	list := append([]string(nil), s.below[folder]...)
	s.sort(list)
	return list
}

func (s *sizes) sort(paths []string) {
	sort.SliceStable(paths, func(i, j int) bool {
		if a, b := s.of[paths[i]], s.of[paths[j]]; a != b {
			return a > b
		}
		return paths[i] < paths[j]
	})
}

// sum is what paths hold together.
func (s *sizes) sum(paths []string) (bytes float64) {
	for _, path := range paths {
		bytes += s.of[path]
	}
	return bytes
}

// next is the largest folder that is worth another look; "" if there is none. Folders
// whose listing would need an approval are not looked into: their size is known.
func (s *sizes) next(used float64) string {
	for _, path := range s.named(used) {
		if s.unseen(path) && s.of[path] >= used/10 && isPlainPath(path) && risk.Command(duLine(path), risk.Bash).Auto {
			return path
		}
	}
	return ""
}

var plainWord = lazy(`^/[A-Za-z0-9._/+@:,=-]*$`)

// isPlainPath reports whether an absolute path needs no quotes in any shell.
func isPlainPath(path string) bool { return plainWord().MatchString(path) }

// sizeOf reads a size as df -h and du -h write it, in bytes.
func sizeOf(size string) (bytes float64, ok bool) {
	digits := strings.TrimRight(size, "BKMGTPEi")
	n, ok := number(digits)
	unit := strings.TrimLeft(size[len(digits):], "i")
	if unit == "" || unit[0] == 'B' {
		return n, ok
	}
	for i := strings.IndexByte("KMGTPE", unit[0]); i >= 0; i-- {
		n *= 1024
	}
	return n, ok
}

// sayBytes writes a size as du -h does.
func sayBytes(n float64) string { return mebibytes(n / (1 << 20)) }
