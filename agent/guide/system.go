package guide

import (
	"fmt"
	"strings"
)

var (
	prettyName = lazy(`(?m)^PRETTY_NAME="?([^"\n]*)"?`)
	upFor      = lazy(`\bup\s+(.*?),\s+\d+ users?\b`)
)

func reportSystem(f found) string {
	var parts []string
	if o, ok := f.get("uname"); ok {
		if u := strings.Fields(o.text); len(u) >= 4 {
			s := fmt.Sprintf("This is **%s**", strings.Trim(code(u[1]), "`"))
			if o, ok := f.get("release"); ok {
				if m := prettyName().FindStringSubmatch(o.text); m != nil {
					s += ", " + oneLine(m[1])
				}
			}
			parts = append(parts, s+fmt.Sprintf(", with %s %s on %s.", u[0], code(u[2]), u[3]))
		}
	}
	if o, ok := f.get("uptime"); ok {
		if m := upFor().FindStringSubmatch(o.text); m != nil {
			parts = append(parts, "It has been up for "+oneLine(m[1])+".")
		}
	}
	var size []string
	if o, ok := f.get("cores"); ok {
		if n := parseCores(o); n > 0 {
			size = append(size, count(n, "core"))
		}
	}
	if o, ok := f.get("free"); ok {
		if m, ok := parseFree(o); ok {
			size = append(size, mebibytes(m.total)+" of memory")
		}
	}
	if len(size) > 0 {
		parts = append(parts, "It has "+series(size)+".")
	}
	return paragraph(parts)
}
