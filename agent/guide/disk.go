package guide

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// mount is one line of df -kPT. Sizes are in bytes.
type mount struct {
	device, kind, at string
	size, used, free float64
	percent          int
	line             int // of the output, from 1
}

// images are kinds of file systems that nothing can be written to: they are full from the
// beginning.
var images = map[string]bool{"squashfs": true, "iso9660": true, "erofs": true, "cramfs": true, "romfs": true}

// pseudo are kinds of file systems that fill no disk.
var pseudo = map[string]bool{"tmpfs": true, "devtmpfs": true, "overlay": true, "efivarfs": true,
	"ramfs": true, "fuse.lxcfs": true, "none": true}

const (
	nearlyFull = 80
	full       = 90
)

// allMounts are all lines of df -kPT.
func allMounts(o outcome) (list []mount) {
	n := 0
	for _, line := range o.lines() {
		if strings.HasPrefix(line, "df: ") {
			continue // a complaint, where both streams are one
		}
		n++
		before, at, ok := strings.Cut(line, "% ")
		f := strings.Fields(before)
		if !ok || len(f) != 6 || !strings.HasPrefix(at, "/") {
			continue
		}
		percent, err := strconv.Atoi(f[5])
		size, ok := kibibytes(f[2])
		used, ok2 := kibibytes(f[3])
		free, ok3 := kibibytes(f[4])
		if err == nil && ok && ok2 && ok3 {
			list = append(list, mount{device: f[0], kind: f[1], size: size, used: used, free: free, percent: percent, at: at, line: n})
		}
	}
	return list
}

// parseDF reads df -kPT, the fullest first. Each device counts once. Memory counts where it
// is filling up, or where there is nothing else; read-only images only where there is
// nothing else.
func parseDF(o outcome) []mount {
	var real, other []mount
	seen := map[string]bool{}
	for _, m := range allMounts(o) {
		key := fmt.Sprint(m.device, " ", m.size)
		if m.size == 0 || seen[key] && m.device != m.kind {
			continue
		}
		seen[key] = true
		if images[m.kind] || pseudo[m.kind] && m.percent < nearlyFull {
			other = append(other, m)
		} else {
			real = append(real, m)
		}
	}
	if len(real) == 0 {
		real = other
	}
	sort.SliceStable(real, func(i, j int) bool { return real[i].percent > real[j].percent })
	return real
}

// there is the folder of a file system for a shell. Its name is not written out: what a
// machine has printed is not put into a command.
func (m mount) there() string {
	return fmt.Sprintf(`"$(df -kPT | sed -n '%ds/.*%% //p')"`, m.line)
}

// place is what is looked into for what fills it: a file system, or a folder that the
// operator named.
type place struct {
	root  string
	used  float64 // bytes; 0 if that is not known
	mount bool
	du    step
	gone  step // lists deleted files that are open; only of a file system
}

// places are the folder that the question names, or the fullest file system and the next
// one if that needs room, too.
func places(f found) (list []place) {
	if f.path != "" {
		root := f.path
		if root != "/" {
			root = strings.TrimRight(root, "/")
		}
		return []place{{root: root, du: search(duLine(root, 0), "find what takes the most room under "+root)}}
	}
	for i, m := range parseDF(mustGet(f, "df")) {
		if i > 1 || i == 1 && m.percent < full || m.percent < nearlyFull && (f.glance || len(f.topics) > maxTopics) {
			break
		}
		list = append(list, place{
			root: m.at, used: m.used, mount: true,
			du:   search(duLine(m.there(), m.used), "find what takes the most room there"),
			gone: observe(deletedLine(m.there()), "find deleted files that are still open"),
		})
	}
	return list
}

// diskSteps go from the fullest file system down.
func diskSteps(f found) (list []step) {
	for _, p := range places(f) {
		list = append(list, p.du)
		if p.mount {
			list = append(list, p.gone)
		}
	}
	return list
}

func reportDisk(f found) string {
	var parts []string
	low := ""
	if inodes, ok := f.get("inodes"); ok {
		low = sayInodes(inodes)
	}
	if df, ok := f.get("df"); ok {
		parts = append(parts, sayMounts(parseDF(df), allMounts(df), low != ""))
	}
	parts = append(parts, low)
	for _, p := range places(f) {
		parts = append(parts, p.say(f))
	}
	return paragraph(parts)
}

func mustGet(f found, id string) outcome {
	o, ok := f.get(id)
	if !ok {
		return outcome{}
	}
	return o
}

// say names what fills a place, and what could not be seen.
func (p place) say(f found) string {
	o, done := f.done[p.du.key()]
	if !done {
		return ""
	}
	if line, _ := p.du.args["command"].(string); o.denied || o.missing() != "" {
		return problem(line, o)
	}
	s := readSizes(p.root, o)
	total := s.of[p.root]
	if total == 0 {
		return strings.TrimSuffix(fmt.Sprintf("What %s holds could not be measured: %s", code(p.root), oneLine(strings.Join(o.notices, " "))), ": ") + "."
	}
	used := p.used
	if used == 0 {
		used = total
	}
	named := s.named(used)
	parts := []string{s.say(named, used)}
	gone := 0.0
	if p.mount {
		text, bytes := sayDeleted(f.done[p.gone.key()], max(0, used-total))
		gone = bytes
		parts = append(parts, text)
	}
	explained := s.sum(named) + gone
	if len(s.denied) > 0 && (!p.mount || explained < enough*used) {
		parts = append(parts, sayUnreadable(s.denied))
	}
	if rest := used - max(total, s.sum(named)) - gone; explained < enough*used && rest > notable*used {
		parts = append(parts, fmt.Sprintf("**%s are not explained**: they may be in folders that this user may not read, in deleted files that another user's process has open, hidden below another file system, or the file system's own.", sayBytes(rest)))
	}
	return paragraph(parts)
}

func sayUnreadable(paths []string) string {
	var items []string
	for _, path := range paths[:min(len(paths), 4)] {
		items = append(items, code(path))
	}
	if more := len(paths) - len(items); more > 0 {
		items = append(items, fmt.Sprintf("%d more", more))
	}
	return "I could not read " + series(items) + "."
}

func sayMounts(mounts, all []mount, inodesLow bool) string {
	if len(mounts) == 0 {
		return "`df` shows no file system."
	}
	m := mounts[0]
	s := fmt.Sprintf("The fullest file system is %s (%s, %s): **%d %%** of %s used, %s free.",
		code(m.at), code(m.device), m.kind, m.percent, sayBytes(m.size), sayBytes(m.free))
	var others []string
	for _, m := range mounts[1:min(len(mounts), 6)] {
		others = append(others, fmt.Sprintf("%s %d %% of %s", code(m.at), m.percent, sayBytes(m.size)))
	}
	if len(others) > 0 {
		s += " Then come " + series(others) + "."
	}
	readOnly := 0
	for _, other := range all {
		if images[other.kind] && other.percent >= nearlyFull {
			readOnly++
		}
	}
	if readOnly > 0 && !images[m.kind] {
		s += fmt.Sprintf(" %s %s full, as always: nothing can be written there.", capitalise(count(readOnly, "read-only image")), isAre(readOnly))
	}
	switch {
	case images[m.kind]:
	case m.percent >= full:
		s += " That needs room soon."
	case m.percent >= nearlyFull:
		s += " That is worth watching."
	case !inodesLow && readOnly == 0:
		s += " None is close to full."
	case !inodesLow:
		s += " None of the others is close to full."
	}
	return s
}

func sayInodes(o outcome) string {
	var low []string
	for _, line := range o.lines() {
		f := strings.Fields(line)
		if len(f) < 6 || !strings.HasSuffix(f[4], "%") {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(f[4], "%")); err == nil && n >= nearlyFull {
			low = append(low, fmt.Sprintf("%s (%d %%)", code(strings.Join(f[5:], " ")), n))
		}
	}
	if len(low) == 0 {
		return ""
	}
	return "Inodes run out on " + series(low) + ": many small files."
}

// paragraph joins the sentences that there are.
func paragraph(parts []string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, " ")
}
