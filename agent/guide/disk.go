package guide

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// mount is one line of df.
type mount struct {
	device, kind, size, used, free, at string
	percent                            int
}

// images are kinds of file systems that nothing can be written to: they are full from the
// beginning.
var images = map[string]bool{"squashfs": true, "iso9660": true, "erofs": true, "cramfs": true, "romfs": true}

// pseudo are kinds of file systems that fill no disk.
var pseudo = map[string]bool{"tmpfs": true, "devtmpfs": true, "overlay": true, "efivarfs": true,
	"ramfs": true, "fuse.lxcfs": true, "none": true}

// parseDF reads df -hPT, the fullest first. Each device counts once. Memory counts where it
// is filling up, or where there is nothing else; read-only images only where there is
// nothing else.
func parseDF(o outcome) []mount {
	var real, other []mount
	seen := map[string]bool{}
	for _, m := range allMounts(o) {
		if seen[m.device+m.size] && m.device != m.kind {
			continue
		}
		seen[m.device+m.size] = true
		if images[m.kind] || m.size == "0" || pseudo[m.kind] && m.percent < nearlyFull {
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

// allMounts are all lines of df -hPT.
func allMounts(o outcome) (list []mount) {
	for _, line := range o.lines() {
		f := strings.Fields(line)
		if len(f) < 7 || !strings.HasSuffix(f[5], "%") {
			continue
		}
		if percent, err := strconv.Atoi(strings.TrimSuffix(f[5], "%")); err == nil {
			list = append(list, mount{device: f[0], kind: f[1], size: f[2], used: f[3], free: f[4], percent: percent, at: strings.Join(f[6:], " ")})
		}
	}
	return list
}

const (
	nearlyFull = 80
	full       = 90
)

// mostScans is how often du is begun for one question: the first time at the top, then in
// the largest folder whose content it has not listed.
const mostScans = 4

// descent is the way from the top of a file system, or from a folder that the operator
// named, down to what fills it.
type descent struct {
	root   string
	used   float64 // bytes; 0 if that is not known
	mount  bool    // root is a file system as df shows it
	sizes  *sizes
	scans  []step
	failed []step // of those, what gave nothing
}

// descend follows the results as far as they go; the last scan may be one to be made.
func descend(f found) (descent, bool) {
	d := descent{root: strings.TrimRight(f.path, "/")}
	if f.path == "/" {
		d.root = "/"
	}
	if mounts := parseDF(mustGet(f, "df")); len(mounts) > 0 && f.path == "" {
		m := mounts[0]
		used, known := sizeOf(m.used)
		if m.percent < nearlyFull && len(f.topics) > maxTopics || !isPlainPath(m.at) {
			return d, false
		}
		d.root, d.mount = m.at, known
		if known {
			d.used = used
		}
	}
	if d.root == "" || !isPlainPath(d.root) {
		return d, false
	}
	d.sizes = newSizes(d.root)
	for at := d.root; at != "" && len(d.scans) < mostScans; at = d.sizes.next(d.used) {
		s := observe(duLine(at), "find what takes the most room under "+at)
		d.scans = append(d.scans, s)
		o, done := f.done[s.key()]
		if !done {
			return d, true
		}
		if o.denied || o.missing() != "" {
			d.failed = append(d.failed, s)
		} else {
			d.sizes.add(at, o)
		}
		d.sizes.looked[at] = true
		if !d.mount {
			d.used = d.sizes.of[d.root]
		}
		if o.denied || len(d.sizes.of) == 0 {
			break
		}
	}
	return d, true
}

// complete reports whether every scan was made.
func (d *descent) complete(f found) bool {
	for _, s := range d.scans {
		if _, ok := f.done[s.key()]; !ok {
			return false
		}
	}
	return true
}

// gap is how much is used of the file system that du has not seen.
func (d *descent) gap() float64 {
	if !d.mount {
		return 0
	}
	return max(0, d.used-d.sizes.of[d.root])
}

// diskSteps go from the fullest file system down, and look for deleted files where not all
// of it is found.
func diskSteps(f found) []step {
	d, ok := descend(f)
	if !ok {
		return nil
	}
	list := d.scans
	if d.complete(f) && len(d.sizes.of) > 0 && d.gap() > d.used/10 {
		list = append(list, observe(deletedLine, "find deleted files that are still open"))
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
	if d, ok := descend(f); ok {
		parts = append(parts, d.say(f))
	} else if mounts := parseDF(mustGet(f, "df")); len(mounts) > 0 && !isPlainPath(mounts[0].at) {
		parts = append(parts, fmt.Sprintf("I do not look into %s: its name would have to be quoted.", code(mounts[0].at)))
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

// say names what fills the root, and what could not be seen.
func (d *descent) say(f found) string {
	var parts []string
	total := d.sizes.of[d.root]
	named := d.sizes.named(d.used)
	switch {
	case total == 0 && len(d.failed) == 0 && d.complete(f):
		return fmt.Sprintf("Nothing under %s could be measured.", code(d.root))
	case total == 0:
	case len(named) == 1 && named[0] == d.root:
		text := fmt.Sprintf("%s holds %s", code(d.root), sayBytes(total))
		if parts := d.sizes.largest(d.root); len(parts) > 0 {
			text += ", much of it in many places; the largest in it are " + series(d.items(parts[:min(len(parts), 5)]))
		}
		parts = append(parts, text+".")
	default:
		parts = append(parts, fmt.Sprintf("Of the %s under %s, **%.0f %%** is in %s.", sayBytes(d.used), code(d.root),
			min(100, 100*d.sizes.sum(named)/d.used), series(d.items(named))))
	}
	gone := 0.0
	if o, ok := f.done[observe(deletedLine, "").key()]; ok && o.missing() == "" && !o.denied {
		text, bytes := sayDeleted(deletedOn(parseDeleted(o), d.root, allMounts(mustGet(f, "df"))))
		gone = bytes
		parts = append(parts, text)
	}
	unseen := d.gap() - gone
	explained := d.sizes.sum(named)+gone >= enough*d.used
	if denied := d.sizes.denied; len(denied) > 0 && (!d.mount || !explained) {
		parts = append(parts, sayUnreadable(denied))
	}
	if !explained && total > 0 && unseen > notable*d.used {
		parts = append(parts, fmt.Sprintf("**%s are not explained**: they may be in folders that this user may not read, in deleted files that another user's process has open, or hidden below another file system.", sayBytes(unseen)))
	}
	for _, s := range d.failed {
		line, _ := s.args["command"].(string)
		if text := problem(line, f.done[s.key()]); text != "" {
			parts = append(parts, text)
		}
	}
	if o, ok := f.done[observe(deletedLine, "").key()]; ok && (o.missing() != "" || o.denied) {
		parts = append(parts, "Whether deleted files are still open I cannot say: "+problem(deletedLine, o))
	}
	return paragraph(parts)
}

// items are paths with their sizes.
func (d *descent) items(paths []string) (items []string) {
	for _, path := range paths {
		items = append(items, fmt.Sprintf("%s (%s)", code(path), sayBytes(d.sizes.of[path])))
	}
	return items
}

func sayUnreadable(paths []string) string {
	var items []string
	for _, path := range paths[:min(len(paths), 4)] {
		items = append(items, code(path))
	}
	if more := len(paths) - len(items); more > 0 {
		items = append(items, fmt.Sprintf("%d more", more))
	}
	return "This user may not read " + series(items) + "."
}

func sayMounts(mounts, all []mount, inodesLow bool) string {
	if len(mounts) == 0 {
		return "`df` shows no file system."
	}
	m := mounts[0]
	s := fmt.Sprintf("The fullest file system is %s (%s, %s): **%d %%** of %s used, %s free.",
		code(m.at), code(m.device), m.kind, m.percent, m.size, m.free)
	var others []string
	for _, m := range mounts[1:min(len(mounts), 6)] {
		others = append(others, fmt.Sprintf("%s %d %% of %s", code(m.at), m.percent, m.size))
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
