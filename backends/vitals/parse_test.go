package vitals

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

const debian = `5.79 3.12 1.39 3/145 2688
MemTotal:       16331928 kB
MemFree:         1200000 kB
MemAvailable:    8165964 kB
Buffers:          100000 kB
Cached:          4000000 kB
SwapTotal:             0 kB
0-3
Filesystem     1024-blocks      Used Available Capacity Mounted on
udev              12334432  12334432         0     100% /dev
tmpfs              2468360      1024   2467336       1% /run
/dev/vda1        264212084 132106042 132106042      51% /
/dev/loop3           65000     65000         0     100% /snap/core/1
/dev/vdb1           100000     90000     10000      90% /srv/with two  blanks
//user@nas/a b      100000     10000     90000      10% /mnt/nas
`

const alpine = `0.02 0.01 0.00 1/80 11206
MemTotal:        1000000 kB
MemFree:          100000 kB
Buffers:          200000 kB
Cached:           300000 kB
0,2-3
 12:00:00 up 3 days,  2:13,  0 users,  load average: 9.00, 9.00, 9.00
Filesystem           1024-blocks    Used Available Capacity Mounted on
overlay               1000    1500   -100 107% /
`

const darwin = `hw.ncpu: 8
12:00  up 3 days,  2:13, 2 users, load averages: 1.52 1.60 1.70
Filesystem   1024-blocks      Used Available Capacity  Mounted on
/dev/disk3s1   965595304  10000000 400000000     3%    /
devfs                205       205         0   100%    /dev
map auto_home          0         0         0   100%    /System/Volumes/Data/home
/dev/disk3s5   965595304 600000000 200000000    75%    /System/Volumes/Data
`

const openbsd = "hw.ncpu=2\n12:00PM  up 3 days, 2 users, load averages: 0,52, 0,58, 0,59\n"

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   Figures
	}{
		"nothing": {},
		"noise":   {answer: "sh: cat: not found\nwelcome to web-1\n\x1b[31m% % % %\n100%\n"},
		"debian": {debian, Figures{
			Load{true, 5.79, 4}, Memory{16331928 << 10, 8165964 << 10}, Disk{"/srv/with two blanks", 90000 << 10, 10000 << 10},
		}},
		"alpine":  {alpine, Figures{Load{true, 0.02, 3}, Memory{1000000 << 10, 600000 << 10}, Disk{"/", 1500 << 10, 0}}},
		"darwin":  {darwin, Figures{Load: Load{true, 1.52, 8}, Disk: Disk{"/System/Volumes/Data", 600000000 << 10, 200000000 << 10}}},
		"openbsd": {openbsd, Figures{Load: Load{true, 0.52, 2}}},
		"cut off": {"0.20 0.18 0.12 1/80 11206\nMemTotal:  1000 kB\nMemAvail", Figures{
			Load: Load{Known: true, Average: 0.2}, Memory: Memory{Total: 1000 << 10},
		}},
		"a liar":                       {"1e300 0 0 1/2 3\nMemTotal: 99999999999999999999 kB\n0-999999999\nx 1 1 1 1% relative\n", Figures{}},
		"more available than there is": {"MemTotal: 5 kB\nMemAvailable: 9 kB\n", Figures{Memory: Memory{5 << 10, 5 << 10}}},
		"carriage returns":             {"0.20 0.18 0.12 1/80 11206\r\n0\r\n", Figures{Load: Load{true, 0.2, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Parse([]byte(c.answer)); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestParts(t *testing.T) {
	f := Parse([]byte(debian))
	for name, c := range map[string]struct{ got, want float64 }{
		"load": {f.Load.Part(), 5.79 / 4}, "memory": {f.Memory.Part(), 0.5}, "disk": {f.Disk.Part(), 0.9},
		"no load": {Load{Known: true, Average: 3}.Part(), 0}, "no memory": {Memory{}.Part(), 0}, "no disk": {Disk{}.Part(), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// Whatever a host answers, the figures are figures.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{debian, alpine, darwin, openbsd, "/dev/a 1 1 -1 1% /" + strings.Repeat("é", 300)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		got := Parse(answer)
		for name, part := range map[string]float64{"memory": got.Memory.Part(), "disk": got.Disk.Part()} {
			if !(part >= 0 && part <= 1) {
				t.Errorf("%s: %v of %+v", name, part, got)
			}
		}
		if l := got.Load; !(l.Average >= 0 && l.Average < 1e6) || l.Processors < 0 || l.Processors > maxProcessors || !l.Known && l.Average != 0 {
			t.Errorf("load: %+v", l)
		}
		if p := got.Disk.Path; len(p) > maxPath || !utf8.ValidString(p) || p != "" && p[0] != '/' {
			t.Errorf("path: %q", p)
		}
	})
}
