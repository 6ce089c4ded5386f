package guide

import (
	"fmt"
	"strings"
)

// largestLine lists the largest files below folders, each on its own file system, with
// their sizes in bytes.
func largestLine(folders []string) string {
	return "find " + strings.Join(folders, " ") + ` -xdev -type f -size +10240k -printf '%s\t%p\n' | sort -rn | head -n 15`
}

// fileSteps look in the folder that the question names, else on all file systems.
func fileSteps(f found) []step {
	folders := fileFolders(f)
	if len(folders) == 0 {
		return nil
	}
	return []step{observe(largestLine(folders), "find the largest files")}
}

func fileFolders(f found) (folders []string) {
	if f.path != "" {
		return []string{f.path}
	}
	df, ok := f.get("df")
	for _, m := range parseDF(df) {
		if isPlainPath(m.at) && len(folders) < 8 {
			folders = append(folders, m.at)
		}
	}
	if _, asked := f.done[f.step(f.command("df")).key()]; asked && !ok || ok && len(folders) == 0 {
		return []string{"/"}
	}
	return folders
}

func reportFiles(f found) string {
	steps := fileSteps(f)
	if len(steps) == 0 {
		return ""
	}
	line, _ := steps[0].args["command"].(string)
	o, ok := f.done[steps[0].key()]
	if !ok {
		return ""
	}
	if o.denied || o.missing() != "" {
		return problem(line, o)
	}
	var items []string
	for _, l := range o.lines() {
		size, path, ok := strings.Cut(l, "\t")
		if bytes, sound := sizeOf(size); ok && sound && strings.HasPrefix(path, "/") {
			items = append(items, fmt.Sprintf("- %s: %s", sayBytes(bytes), code(path)))
		}
	}
	where := series(codes(fileFolders(f)))
	if len(items) == 0 {
		return fmt.Sprintf("No file of more than 10 MiB under %s, as far as this user may read.", where)
	}
	text := fmt.Sprintf("The largest files under %s, as far as this user may read:\n\n%s", where, strings.Join(items, "\n"))
	return text
}

func codes(words []string) (list []string) {
	for _, w := range words {
		list = append(list, code(w))
	}
	return list
}
