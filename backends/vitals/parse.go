package vitals

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Figures say how a host does. The zero value says that nothing is known.
type Figures struct {
	Load   Load
	Memory Memory
	Disk   Disk
}

// Load is how many processes want to run, on the average of the last minute.
type Load struct {
	Known      bool
	Average    float64
	Processors int // 0: not known
}

// Part is the load for each processor; 0 where their number is not known.
func (l Load) Part() float64 {
	if l.Processors < 1 {
		return 0
	}
	return l.Average / float64(l.Processors)
}

// Memory is counted in bytes.
type Memory struct {
	Total     uint64 // 0: not known
	Available uint64 // what programs can get without anything being swapped out
}

// Part is the part of the memory that is in use, from 0 to 1.
func (m Memory) Part() float64 {
	if m.Total == 0 || m.Available > m.Total {
		return 0
	}
	return float64(m.Total-m.Available) / float64(m.Total)
}

// Disk is the fullest of the file systems that can be written, in bytes.
type Disk struct {
	Path       string // where it is mounted; empty: not known
	Used, Free uint64
}

// Part is the part of it that is in use, from 0 to 1, as df counts.
func (d Disk) Part() float64 {
	if d.Used == 0 {
		return 0
	}
	return float64(d.Used) / (float64(d.Used) + float64(d.Free))
}

// maxPath bounds what is kept of a path, in bytes.
const maxPath = 256

// Parse reads the answer to one of Looks. Lines that it does not know are left out.
func Parse(answer []byte) Figures {
	var p parser
	for line := range strings.Lines(strings.ToValidUTF8(string(answer), "\uFFFD")) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	return p.figures()
}

// parser collects what the lines of an answer say.
type parser struct {
	f      Figures
	memory map[string]uint64 // of /proc/meminfo, in bytes
	own    bool              // the load is that of /proc/loadavg
}

func (p *parser) figures() Figures {
	total, available := p.memory["MemTotal"], p.memory["MemAvailable"]
	if _, told := p.memory["MemAvailable"]; !told { // before Linux 3.14
		available = p.memory["MemFree"] + p.memory["Buffers"] + p.memory["Cached"]
	}
	if total > 0 {
		p.f.Memory = Memory{total, min(available, total)}
	}
	return p.f
}

func (p *parser) line(line string) {
	words := strings.Fields(line)
	switch {
	case len(words) == 0:
	case p.meminfo(words), p.loadavg(words), p.processors(line, words), p.disk(words):
	default:
		p.uptime(line)
	}
}

// wanted are the lines of /proc/meminfo that count.
var wanted = []string{"MemTotal", "MemAvailable", "MemFree", "Buffers", "Cached"}

// meminfo reads "MemTotal:       16331928 kB".
func (p *parser) meminfo(words []string) bool {
	name, ok := strings.CutSuffix(words[0], ":")
	if !ok || len(words) != 3 || words[2] != "kB" {
		return false
	}
	if n, err := strconv.ParseUint(words[1], 10, 53); err == nil && slices.Contains(wanted, name) {
		if p.memory == nil {
			p.memory = map[string]uint64{}
		}
		p.memory[name] = n << 10
	}
	return true
}

// loadavg reads "0.20 0.18 0.12 1/80 11206".
func (p *parser) loadavg(words []string) bool {
	if len(words) != 5 || !strings.Contains(words[3], "/") {
		return false
	}
	for _, w := range words[:3] {
		if _, ok := average(w); !ok {
			return false
		}
	}
	load, _ := average(words[0])
	p.f.Load.Known, p.f.Load.Average, p.own = true, load, true
	return true
}

// average reads a load as it is written in all languages: "0.20", "0,20".
func average(word string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(word, ",", "."), 64)
	return n, err == nil && n >= 0 && n < 1e6 && !math.IsNaN(n)
}

// maxProcessors bounds what a host may say of itself.
const maxProcessors = 1 << 16

// processors reads "0-3,8" of /sys/devices/system/cpu/online, and "hw.ncpu: 8" or
// "hw.ncpu=8" of sysctl.
func (p *parser) processors(line string, words []string) bool {
	if rest, ok := strings.CutPrefix(line, "hw.ncpu"); ok {
		if n, err := strconv.Atoi(strings.Trim(rest, ":= ")); err == nil && n > 0 && n <= maxProcessors {
			p.f.Load.Processors = n
		}
		return true
	}
	if len(words) != 1 {
		return false
	}
	count := 0
	for part := range strings.SplitSeq(words[0], ",") {
		first, last, ranged := strings.Cut(part, "-")
		a, err := strconv.Atoi(first)
		b := a
		if ranged && err == nil {
			b, err = strconv.Atoi(last)
		}
		if err != nil || a < 0 || b < a || b >= maxProcessors {
			return false
		}
		count += b - a + 1
	}
	if count > maxProcessors {
		return false
	}
	p.f.Load.Processors = count
	return true
}

// uptime reads the load behind "load average:" or "load averages:".
func (p *parser) uptime(line string) {
	_, rest, ok := strings.Cut(line, "load average")
	words := strings.Fields(strings.TrimLeft(rest, "s:"))
	if !ok || len(words) == 0 || p.own {
		return
	}
	if n, ok := average(strings.TrimSuffix(words[0], ",")); ok {
		p.f.Load.Known, p.f.Load.Average = true, n
	}
}

// ignored are beginnings of devices that are full, or empty, whatever anybody does:
// images for reading, and what the kernel makes up.
var ignored = []string{"/dev/loop", "/dev/sr", "/dev/cd", "devfs", "devtmpfs", "udev", "efivarfs", "procfs", "linprocfs", "linsysfs", "fdescfs", "map", "none"}

// disk reads a line of df -P: device, blocks, used, available, capacity, mount point.
// Blanks can be in the first and in the last.
func (p *parser) disk(words []string) bool {
	for i := 4; i < len(words)-1; i++ {
		if !strings.HasSuffix(words[i], "%") {
			continue
		}
		total, err1 := strconv.ParseUint(words[i-3], 10, 53)
		used, err2 := strconv.ParseUint(words[i-2], 10, 53)
		free, err3 := strconv.ParseInt(words[i-1], 10, 53) // below 0 where root has used what was kept for it
		if err1 != nil || err2 != nil || err3 != nil || !strings.HasPrefix(words[i+1], "/") {
			continue
		}
		d := Disk{strings.Join(words[i+1:], " "), used << 10, uint64(max(free, 0)) << 10}
		p.take(words[0], total, d)
		return true
	}
	return false
}

// take keeps the fullest file system.
func (p *parser) take(device string, total uint64, d Disk) {
	if total == 0 || d.Used+d.Free == 0 || strings.HasPrefix(d.Path, "/snap/") ||
		slices.ContainsFunc(ignored, func(name string) bool { return strings.HasPrefix(device, name) }) {
		return
	}
	if len(d.Path) > maxPath {
		n := maxPath
		for n > 0 && !utf8.RuneStart(d.Path[n]) {
			n--
		}
		d.Path = d.Path[:n]
	}
	if p.f.Disk.Path == "" || d.Part() > p.f.Disk.Part() {
		p.f.Disk = d
	}
}
