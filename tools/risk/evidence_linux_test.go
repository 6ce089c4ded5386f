package risk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// The evidence: permitted options and operands of the tables' programs that are
// installed here run traced, as nobody, in a folder of their own. What they open for
// writing and connect to is compared with what the tables say; what they execute is
// printed.

// evidence is what a program was seen to do.
type evidence struct {
	program string
	forms   int
	execs   map[string]bool
	asks    map[string]bool
	writes  map[string]string // path: the line that wrote there
}

// form is a command line that the tables call automatic.
type form struct {
	program string
	line    string
}

// samples are words of each kind that exist in the folder of the evidence.
var samples = map[kind]string{
	kindReads: "plain.txt", kindTree: "folder", kindMeta: "plain.txt", kindNumber: "1", kindAwk: "{print}", kindSed: "p",
	kindJq: ".", kindPlus: "+%s", kindSQL: "select 1", kindUnit: "dbus.service", kindKernel: "kernel.hostname",
	kindCommand: "true", kindPsArgs: "aux", kindShell: "true", kindListed: "plain.txt", kindLooked: "plain.txt", kindName: "x",
	kindTemplate: "{{.ID}}", kindMethod: "GET", kindShape: "json", kindOutput: "-", kindInet: ":22", kindSocket: "state",
	kindProperty: "Id", kindSetting: "port", kindMode: "644", kindResource: "pods", kindListing: "pods", kindShow: "show version",
	kindPager: "cat",
}

func sampleOf(p param) string {
	if p.kind == kindSet || p.kind == kindBegins {
		return p.set[0]
	}
	return cmp.Or(samples[p.kind], "x")
}

// formsOf lists the forms of a program or sub-command, and of those below it.
func formsOf(s *spec, words []string) []form {
	var all []form
	seen := map[string]bool{}
	add := func(more ...string) {
		quoted := make([]string, 0, len(words)+len(more))
		for _, w := range slices.Concat(words, more) {
			q, err := syntax.Quote(w, syntax.LangBash)
			if err != nil {
				return
			}
			quoted = append(quoted, q)
		}
		line := strings.Join(quoted, " ")
		if v := Command(line, Bash); v.Auto && !v.InShell && !seen[line] {
			seen[line] = true
			all = append(all, form{words[0], line})
		}
	}
	var operands []string
	for _, p := range s.operands {
		if p.kind != kindNone {
			operands = append(operands, sampleOf(p))
		}
	}
	add()
	add(operands...)
	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		o := s.options[name]
		switch value := sampleOf(o.value); {
		case o.name == "-#" || o.name == "+#":
			add(append([]string{o.name[:1] + "1"}, operands...)...)
		case !o.takes:
			add(append([]string{o.name}, operands...)...)
		case strings.HasPrefix(o.name, "--"):
			add(append([]string{o.name + "=" + value}, operands...)...)
			add(append([]string{o.name, value}, operands...)...)
		default:
			add(append([]string{o.name, value}, operands...)...)
			if !s.oneDash {
				add(append([]string{o.name + value}, operands...)...)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.subs)) {
		if !strings.Contains(name, "*") {
			all = append(all, formsOf(s.subs[name], append(slices.Clone(words), name))...)
		}
	}
	return all
}

var (
	tracedOpen    = regexp.MustCompile(`^(?:\[pid +\d+\] |\d+ +)?(?:openat\([^,]+, |open\(|creat\()"([^"]*)"(?:, ([A-Z_|0-9x]+))?.*= (-?\d+)`)
	tracedChange  = regexp.MustCompile(`^(?:\[pid +\d+\] |\d+ +)?(unlink|unlinkat|rename|renameat|renameat2|mkdir|mkdirat|rmdir|link|linkat|symlink|symlinkat|truncate|chmod|fchmodat|chown|fchownat|utimensat|setxattr|mknod|mknodat)\((.*)`)
	tracedConnect = regexp.MustCompile(`connect\(\d+, \{sa_family=(AF_[A-Z0-9]+)(?:, sun_path=@?"([^"]*)")?`)
	tracedExec    = regexp.MustCompile(`execve\("([^"]*)".*= 0$`)
)

// harmlessWrite reports whether opening a path for writing leaves nothing behind.
func harmlessWrite(path string) bool {
	return quietDevice(path) || strings.HasPrefix(path, "/dev/tty") || strings.HasPrefix(path, "/dev/pts/") || path == "/dev/ptmx" ||
		path == "/run/xtables.lock" || path == "/run/nginx.pid" || strings.HasPrefix(path, "/proc/self/") || strings.HasPrefix(path, "/proc/thread-self/")
}

// ownState is what programs keep for themselves between two runs, or while they run, under
// names of their own. Where the kernel holds a look it is refused, and these answer without
// it; podman does not, and runs without a cage (needs.list).
var ownState = map[string]*regexp.Regexp{
	"podman":     regexp.MustCompile(`/home/\.(local(/share(/containers(/.*)?)?)?|config(/(containers|cni)(/.*)?)?)$|^/run/user/\d+(/.*)?$|^/tmp/podman-run-\d+(/.*)?$|^/dev/shm/libpod\w*lock|^/proc/\d+/([ug]id_map|setgroups)$|^/run/(lib)?(pod|containers)(/.*)?$`),
	"gcloud":     regexp.MustCompile(`/home/\.config(/gcloud(/.*)?)?$`),
	"keytool":    regexp.MustCompile(`^/tmp/hsperfdata_\w+(/\d+)?$|^\d+$`),     // Java's, of the process, in its own folder
	"chronyc":    regexp.MustCompile(`^/run/chrony/chronyc\.\d+\.sock$`),       // its end of the talk, while it runs
	"atop":       regexp.MustCompile(`^/var/cache/atop\.d(/.*)?$`),             // what the kernel counts for it, while it runs
	"ipmitool":   regexp.MustCompile(`^/dev/ipmi(dev)?/?\d+$`),                 // what it asks the controller by
	"ovs-appctl": regexp.MustCompile(`^/(var/)?run/openvswitch/[\w.-]+\.pid$`), // whose lock says that the daemon is there
	"jps":        regexp.MustCompile(`^/tmp/hsperfdata_\w+(/\d+)?$|^\d+$`),
	"jstat":      regexp.MustCompile(`^/tmp/hsperfdata_\w+(/\d+)?$|^\d+$`),
	"jcmd":       regexp.MustCompile(`^/tmp/hsperfdata_\w+(/\d+)?$|^\d+$`),
	"dmsetup":    regexp.MustCompile(`^/dev/mapper$`), // where the kernel's devices have their names
	"rclone":     regexp.MustCompile(`/home/\.config(/rclone(/.*)?)?$`),
	"rpm":        regexp.MustCompile(`/home/\.rpmdb(/.*)?$`), // where the account has no database of the system
	"gpg":        regexp.MustCompile(`/home/\.gnupg(/.*)?$`),
}

// snmpState is what the library of the SNMP programs keeps of its certificates and modules.
var snmpState = regexp.MustCompile(`^/var/lib/snmp(/.*)?$|/home/\.snmp(/.*)?$`)

// tracedPath is a path in a traced call, and tracedThere the end of one that made nothing,
// for it was there.
var (
	tracedPath  = regexp.MustCompile(`"([^"]*)"`)
	tracedThere = regexp.MustCompile(`= -1 EEXIST`)
)

// own reports whether all paths of a traced call are the program's own state.
func (e *evidence) own(call string) bool {
	keeps := ownState[e.program]
	if strings.HasPrefix(e.program, "snmp") {
		keeps = snmpState
	}
	paths := tracedPath.FindAllStringSubmatch(call, -1)
	return keeps != nil && len(paths) > 0 && !slices.ContainsFunc(paths, func(m []string) bool { return !keeps.MatchString(m[1]) })
}

// read adds what a trace shows.
func (e *evidence) read(trace, line string) {
	first := true
	for row := range strings.Lines(trace) {
		row = strings.TrimSuffix(row, "\n")
		if m := tracedOpen.FindStringSubmatch(row); m != nil {
			if flags := m[2]; (strings.Contains(row, "creat(") || strings.Contains(flags, "O_WRONLY") || strings.Contains(flags, "O_RDWR") || strings.Contains(flags, "O_CREAT")) && !strings.Contains(flags, "O_TMPFILE") && !harmlessWrite(m[1]) && !e.own(`"`+m[1]+`"`) {
				e.writes[m[1]] = line
			}
		}
		if m := tracedChange.FindStringSubmatch(row); m != nil && !strings.Contains(row, "/proc/self/") && !strings.Contains(row, `"/run/blkid"`) && !tracedThere.MatchString(row) && !e.own(m[2]) {
			e.writes[m[1]+" "+m[2]] = line
		}
		if m := tracedConnect.FindStringSubmatch(row); m != nil {
			switch {
			case m[1] == "AF_UNIX" && !strings.Contains(m[2], "nscd") && !strings.HasPrefix(m[2], "/var/run/nscd"):
				e.asks["unix"] = true
			case strings.HasPrefix(m[1], "AF_INET"):
				e.asks["inet"] = true
			}
		}
		if m := tracedExec.FindStringSubmatch(row); m != nil {
			if !first {
				e.execs[filepath.Base(m[1])] = true
			}
			first = false
		}
	}
}

// traceTime bounds a form: some look for ever.
const traceTime = time.Second

// try runs a form traced, as nobody, and returns the trace.
func try(t *testing.T, folder string, f form) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), traceTime)
	defer cancel()
	out := filepath.Join(folder, "trace")
	_ = os.Remove(out)
	args := []string{"-f", "-qq", "-s", "200", "-e", "signal=none", "-e", "trace=file,connect,fchmodat,truncate,desc,process", "-o", out, "bash", "--norc", "-c", "exec " + f.line}
	cmd := exec.CommandContext(ctx, "strace", args...)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}, Setpgid: true}
	} else {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	cmd.Dir = filepath.Join(folder, "work")
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + filepath.Join(folder, "home"), "TERM=xterm", "LC_ALL=C.UTF-8", "PAGER=cat"}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return nil
	}
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // how it ends is of no interest
	body, err := os.ReadFile(out)
	if err != nil {
		return ""
	}
	return string(body)
}

// evidenceFolder is a place where nobody can work.
func evidenceFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "evidence")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	for _, dir := range []string{"", "home", "work", "work/folder"} {
		path := filepath.Join(folder, dir)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o777); err != nil { //nolint:gosec // nobody has to write here
			t.Fatal(err)
		}
	}
	for _, file := range []string{"work/plain.txt", "work/folder/plain.txt", "work/x"} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte("one 1\ntwo 2\n"), 0o644); err != nil { //nolint:gosec // nobody has to read it
			t.Fatal(err)
		}
	}
	return folder
}

// tried are the programs that are installed, by name; of those that NOD_EVIDENCE_OF names,
// if it does.
func tried() []string {
	var all []string
	only := strings.Fields(os.Getenv("NOD_EVIDENCE_OF"))
	for name := range programs().stanzas {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		if path, err := exec.LookPath(name); err == nil && binFolders[filepath.Dir(path)] {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// gather tries forms of a program, as many as most, evenly spread; 0 stands for all.
func gather(t *testing.T, folder, name string, most int) *evidence {
	t.Helper()
	e := &evidence{program: name, execs: map[string]bool{}, asks: map[string]bool{}, writes: map[string]string{}}
	forms := formsOf(specOf(name), []string{name})
	step := 1
	if most > 0 {
		step = max(1, (len(forms)+most-1)/most)
	}
	for i := 0; i < len(forms); i += step {
		e.forms++
		e.read(try(t, folder, forms[i]), forms[i].line)
	}
	return e
}

func (e *evidence) line(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", name, e.forms)
	if len(e.execs) > 0 {
		fmt.Fprintf(&b, " execs=%s", strings.Join(slices.Sorted(maps.Keys(e.execs)), ","))
	}
	if len(e.asks) > 0 {
		fmt.Fprintf(&b, " asks=%s", strings.Join(slices.Sorted(maps.Keys(e.asks)), ","))
	}
	return b.String()
}

// faults are what a program did that its tables do not say.
func (e *evidence) faults(name string) []string {
	var all []string
	for path, line := range e.writes {
		all = append(all, fmt.Sprintf("%q opens %s for writing", line, path))
	}
	needs := programNeeds()[name]
	if e.asks["unix"] && !needs.Has(NeedUnix) && !needs.Has(NeedFree) {
		all = append(all, name+" connects to a unix socket, and its needs lack U")
	}
	if e.asks["inet"] && !needs.Has(NeedNet) && !needs.Has(NeedFree) {
		all = append(all, name+" connects to the network, and its needs lack I")
	}
	slices.Sort(all)
	return all
}

// TestEvidence tries NOD_EVIDENCE forms of each installed program of the tables; 0
// stands for all. It takes minutes to hours (make evidence).
func TestEvidence(t *testing.T) {
	if os.Getenv("NOD_EVIDENCE") == "" {
		t.Skip("NOD_EVIDENCE is not set: make evidence")
	}
	most, err := strconv.Atoi(os.Getenv("NOD_EVIDENCE"))
	if err != nil {
		t.Fatalf("NOD_EVIDENCE=%q: want how many forms of a program are tried, 0 for all", os.Getenv("NOD_EVIDENCE"))
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("strace is missing")
	}
	folder := evidenceFolder(t)
	for _, name := range tried() {
		e := gather(t, folder, name, most)
		if e.forms > 0 {
			t.Log(e.line(name))
		}
		for _, fault := range e.faults(name) {
			t.Error(fault)
		}
	}
}
