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

// pseudo are kinds of file systems that fill no disk.
var pseudo = map[string]bool{"tmpfs": true, "devtmpfs": true, "overlay": true, "squashfs": true, "efivarfs": true,
	"ramfs": true, "iso9660": true, "fuse.lxcfs": true, "none": true}

// parseDF reads df -hPT, the fullest first. Each device counts once; memory and read-only
// images count only where there is nothing else.
func parseDF(o outcome) []mount {
	var real, other []mount
	seen := map[string]bool{}
	for _, line := range o.lines() {
		f := strings.Fields(line)
		if len(f) < 7 || !strings.HasSuffix(f[5], "%") {
			continue
		}
		percent, err := strconv.Atoi(strings.TrimSuffix(f[5], "%"))
		if err != nil || seen[f[0]+f[2]] && f[0] != "tmpfs" {
			continue
		}
		seen[f[0]+f[2]] = true
		m := mount{device: f[0], kind: f[1], size: f[2], used: f[3], free: f[4], percent: percent, at: strings.Join(f[6:], " ")}
		if pseudo[m.kind] || m.size == "0" {
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

// folderSize is one line of du.
type folderSize struct{ size, path string }

func parseDU(o outcome) []folderSize {
	var list []folderSize
	for _, line := range o.lines() {
		size, path, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			size, path, ok = strings.Cut(strings.TrimSpace(line), " ")
		}
		if path = strings.TrimSpace(path); ok && strings.HasPrefix(path, "/") {
			list = append(list, folderSize{size, path})
		}
	}
	return list
}

const (
	nearlyFull = 80
	full       = 90
)

// fullestFolder looks into the fullest file system if it is getting full and is not the
// one that was looked into already.
func fullestFolder(f found) []step {
	df, ok := f.get("df")
	mounts := parseDF(df)
	if !ok || f.path != "" || len(mounts) == 0 {
		return nil
	}
	m := mounts[0]
	if m.percent < nearlyFull || m.at == "/" || strings.HasPrefix(m.at, "/var") || plainPath().FindString(m.at) != m.at {
		return nil
	}
	return []step{observe(duLine(m.at), "find the largest folders under "+m.at)}
}

func duLine(path string) string {
	return "du -xh -d 1 " + path + " 2>/dev/null | sort -rh | head -n 10"
}

func reportDisk(f found) string {
	var parts []string
	if df, ok := f.get("df"); ok {
		parts = append(parts, sayMounts(parseDF(df)))
	}
	if inodes, ok := f.get("inodes"); ok {
		parts = append(parts, sayInodes(inodes))
	}
	if du, ok := f.get("du"); ok {
		parts = append(parts, sayFolders(f.folder(), parseDU(du)))
	}
	for _, s := range fullestFolder(f) {
		if o, ok := f.done[s.key()]; ok && o.missing() == "" {
			folder := parseDF(mustGet(f, "df"))[0].at
			parts = append(parts, sayFolders(folder, parseDU(o)))
		}
	}
	return paragraph(parts)
}

func mustGet(f found, id string) outcome {
	o, _ := f.get(id)
	return o
}

func sayMounts(mounts []mount) string {
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
	switch {
	case m.percent >= full:
		s += " That needs room soon."
	case m.percent >= nearlyFull:
		s += " That is worth watching."
	default:
		s += " None is close to full."
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

func sayFolders(root string, folders []folderSize) string {
	total := ""
	var items []string
	for _, f := range folders {
		if strings.TrimRight(f.path, "/") == strings.TrimRight(root, "/") {
			total = f.size
		} else if len(items) < 5 {
			items = append(items, fmt.Sprintf("%s (%s)", code(f.path), f.size))
		}
	}
	switch {
	case len(items) == 0 && total == "":
		return fmt.Sprintf("Nothing under %s could be measured.", code(root))
	case len(items) == 0:
		return fmt.Sprintf("%s holds %s and no folders.", code(root), total)
	case total == "":
		return fmt.Sprintf("The largest folders under %s are %s.", code(root), series(items))
	}
	return fmt.Sprintf("Under %s there are %s; the largest folders are %s.", code(root), total, series(items))
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
