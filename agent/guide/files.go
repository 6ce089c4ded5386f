package guide

import (
	"fmt"
	"sort"
	"strings"
)

// mostFileSystems is on how many file systems large files are looked for.
const mostFileSystems = 3

// listLine lists the largest files below the folder that it runs in or that is named, on
// its file system, with their sizes in KiB.
func listLine(folder string) string {
	return "find " + folder + " -xdev -type f -size +1024k -exec du -k {} + | sort -rn | head -n 15"
}

// haystack is where large files are looked for.
type haystack struct {
	root string
	look step
}

// haystacks are the folder that the question names, else the file systems that hold most.
func haystacks(f found) (list []haystack) {
	if f.path != "" {
		return []haystack{{f.path, search(listLine(f.path), "find the largest files under "+f.path)}}
	}
	mounts := parseDF(mustGet(f, "df"))
	sort.SliceStable(mounts, func(i, j int) bool { return mounts[i].used > mounts[j].used })
	for _, m := range mounts[:min(len(mounts), mostFileSystems)] {
		list = append(list, haystack{m.at, search("cd "+m.there()+" && pwd && "+listLine("."), "find the largest files there")})
	}
	return list
}

func fileSteps(f found) (list []step) {
	for _, h := range haystacks(f) {
		list = append(list, h.look)
	}
	return list
}

func reportFiles(f found) string {
	var all []sized
	var where, problems []string
	for _, h := range haystacks(f) {
		o, ok := f.done[h.look.key()]
		if !ok {
			continue
		}
		files, ok := readFiles(h.root, o)
		if line, _ := h.look.args["command"].(string); !ok && o.missing() != "" || o.denied {
			problems = append(problems, problem(line, o))
			continue
		}
		where = append(where, code(h.root))
		all = append(all, files...)
	}
	if len(where) == 0 {
		return paragraph(problems)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].bytes > all[j].bytes })
	text := fmt.Sprintf("No file of more than 1 MiB under %s, as far as this user may read.", series(where))
	if len(all) > 0 {
		text = fmt.Sprintf("The largest files under %s, as far as this user may read:\n", series(where))
		for _, file := range all[:min(len(all), 15)] {
			text += fmt.Sprintf("\n- %s: %s", sayBytes(file.bytes), code(file.path))
		}
	}
	return paragraph(append([]string{text}, problems...))
}

// readFiles reads what du says of files below root. Where the names are relative, the
// output begins with the folder that they are in, which must be root.
func readFiles(root string, o outcome) (list []sized, ok bool) {
	for i, line := range o.lines() {
		if i == 0 && line == root {
			ok = true
			continue
		}
		size, path, cut := strings.Cut(line, "\t")
		bytes, sound := kibibytes(size)
		if ok && strings.HasPrefix(path, "./") {
			path = strings.TrimRight(root, "/") + strings.TrimPrefix(path, ".")
		}
		if cut && sound && strings.HasPrefix(path, strings.TrimRight(root, "/")+"/") {
			list = append(list, sized{path, bytes})
		}
	}
	return list, ok || len(list) > 0
}
