package guide

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// folderTree is a file system that a test makes up: files with their sizes in bytes.
type folderTree struct {
	at     string
	files  map[string]float64
	locked string             // a folder that may not be read
	gone   map[string]float64 // deleted files that are still open
	asked  []string           // the commands that came
}

func human(n float64) string {
	for _, unit := range []string{"", "K", "M", "G"} {
		if n < 1024 {
			return fmt.Sprintf("%.1f%s", n, unit)
		}
		n /= 1024
	}
	return fmt.Sprintf("%.1fT", n)
}

func (w *folderTree) used() (sum float64) {
	for _, n := range w.files {
		sum += n
	}
	for _, n := range w.gone {
		sum += n
	}
	return sum
}

// run is what the commands of the guide print there.
func (w *folderTree) run(line string) string {
	w.asked = append(w.asked, line)
	switch {
	case strings.HasPrefix(line, "df -hPT"):
		size := w.used() * 1.02
		return "Filesystem Type Size Used Avail Use% Mounted on\n" +
			fmt.Sprintf("/dev/vda1 ext4 %s %s %s 98%% %s\n", human(size), human(w.used()), human(size-w.used()), w.at) +
			"/dev/vdb1 ext4 100G 1G 99G 1% /elsewhere\n"
	case strings.HasPrefix(line, "du "):
		return w.du(regexp.MustCompile(`^du -xah -d 3 (\S+)`).FindStringSubmatch(line)[1])
	case line == deletedLine:
		out := "COMMAND PID USER FD TYPE DEVICE SIZE/OFF NLINK NODE NAME\n"
		for i, path := range sorted(w.gone) {
			out += fmt.Sprintf("java 4711 app %dw REG 254,1 %.0f 0 %d %s (deleted)\n", i, w.gone[path], i, path)
		}
		return out
	}
	return ""
}

func sorted[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (w *folderTree) du(from string) string {
	sums := map[string]float64{}
	files := maps.Clone(w.files)
	if w.locked != "" && within(w.locked, from) {
		files[w.locked] = 4096 // the folder itself
	}
	for path, n := range files {
		if !within(path, from) || w.locked != "" && within(path, w.locked) && path != w.locked {
			continue
		}
		for at := path; ; at = parentOf(at) {
			sums[at] += n
			if at == from {
				break
			}
		}
	}
	var paths []string
	for path := range sums {
		if depth := strings.Count(strings.TrimPrefix(path, strings.TrimRight(from, "/")), "/"); depth <= duDepth {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		if sums[a] != sums[b] {
			if sums[a] > sums[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	out := ""
	if w.locked != "" && within(w.locked, from) {
		out = "du: cannot read directory '" + w.locked + "': Permission denied\n"
	}
	for _, path := range paths[:min(len(paths), 60)] {
		out += human(sums[path]) + "\t" + path + "\n"
	}
	return out
}

// answer asks a question and runs what it calls for until nothing is left.
func (w *folderTree) answer(t *testing.T, question string) string {
	t.Helper()
	p, tn := understand(question), turn{req: &request{}, question: question, done: map[string]outcome{}}
	for range 10 {
		need := tn.missing(p.steps(tn))
		if len(need) == 0 {
			return p.report(tn)
		}
		for _, s := range need {
			line, _ := s.args["command"].(string)
			tn.done[s.key()] = readOutcome(envelope(t, map[string]any{"exit_code": 0, "stdout": w.run(line), "stderr": ""}))
		}
	}
	t.Fatal("the guide does not come to an end")
	return ""
}

const gib = 1 << 30

// TestTheDiskIsExplained: wherever the bytes of the fullest file system are, the answer
// names where at least 80 % of them are, or says what could not be seen. It never says that
// nothing is close to full.
func TestTheDiskIsExplained(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &folderTree{at: rapid.SampledFrom([]string{"/", "/srv", "/var/lib/data"}).Draw(rt, "at"), files: map[string]float64{}, gone: map[string]float64{}}
		part := rapid.SampledFrom([]string{"var", "lib", "a", "b", "log", "deep", "x.img"})
		for i := range rapid.IntRange(1, 12).Draw(rt, "files") {
			path := strings.TrimRight(w.at, "/")
			for range rapid.IntRange(1, 7).Draw(rt, "depth") {
				path += "/" + part.Draw(rt, "part")
			}
			w.files[path+fmt.Sprint(i)] = float64(rapid.IntRange(1, 40).Draw(rt, "GiB")) * gib
		}
		if rapid.Bool().Draw(rt, "deleted") {
			w.gone[strings.TrimRight(w.at, "/")+"/old.log"] = float64(rapid.IntRange(1, 100).Draw(rt, "gone")) * gib
		}
		if rapid.Bool().Draw(rt, "locked") {
			w.locked = parentOf(sorted(w.files)[0])
			if w.locked == w.at || within(w.at, w.locked) {
				w.locked = ""
			}
		}
		got := w.answer(t, "what is filling the disk?")
		if strings.Contains(got, "close to full") {
			rt.Fatal(got)
		}
		total := 0.0
		for _, m := range regexp.MustCompile("`(/[^`]*)` \\(([0-9.]+) (MiB|GiB)").FindAllStringSubmatch(got, -1) {
			n, _ := number(m[2])
			if m[3] == "GiB" {
				n *= 1024
			}
			total += n * (1 << 20)
		}
		if total < 0.79*w.used() && !strings.Contains(got, "not explained") && !strings.Contains(got, "may not read") {
			rt.Fatalf("%.0f of %.0f GiB are explained:\n%s\n%s", total/gib, w.used()/gib, got, strings.Join(w.asked, "\n"))
		}
		if total > 1.01*w.used() {
			rt.Fatalf("%.0f GiB of %.0f are named:\n%s", total/gib, w.used()/gib, got)
		}
	})
}

// TestWhatCannotBeSeenIsSaid: deleted files, folders that may not be read.
func TestWhatCannotBeSeenIsSaid(t *testing.T) {
	w := &folderTree{at: "/", files: map[string]float64{"/usr/lib/a": 2 * gib, "/root/secret": 10 * gib, "/var/log/app.log": gib}, gone: map[string]float64{"/var/log/app.log": 6 * gib}, locked: "/root"}
	got := w.answer(t, "what is filling the disk?")
	for _, want := range []string{"**98 %**", "`/root`", "not read", "**6.0 GiB**", "`/var/log/app.log` (6.0 GiB, `java`, pid `4711`)", "**10.0 GiB are not explained**"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said:\n%s", want, got)
		}
	}
}

// TestNothingIsCalledEmptyThatIsFull: whatever df shows as full is said to be, or to be a
// read-only image.
func TestNothingIsCalledEmptyThatIsFull(t *testing.T) {
	for kind, want := range map[string]string{
		"tmpfs": "The fullest file system is `/run`", "overlay": "The fullest file system is `/run`", "ext4": "The fullest file system is `/run`", "squashfs": "1 read-only image is full, as always",
	} {
		df := "Filesystem Type Size Used Avail Use% Mounted on\n/dev/vda1 ext4 50G 5G 45G 10% /\n" + kind + " " + kind + " 64M 64M 0 100% /run\n"
		got := answerTo(t, "what is filling the disk?", map[string]string{"df -hPT": df, "df -iP": "", "du": "5G\t/\n4G\t/usr\n"})
		if !strings.Contains(got, want) || strings.Contains(got, "None is close to full") {
			t.Errorf("%s: %s", kind, got)
		}
	}
	got := answerTo(t, "what is filling the disk?", map[string]string{
		"df -hPT": "Filesystem Type Size Used Avail Use% Mounted on\n/dev/vda1 ext4 50G 5G 45G 10% /\n",
		"df -iP":  "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/vda1 100 100 0 100% /\n", "du": "5G\t/\n4G\t/usr\n"})
	if strings.Contains(got, "close to full") || !strings.Contains(got, "Inodes run out on `/` (100 %)") {
		t.Error(got)
	}
}

// TestQuestionsOfOperators: what they ask in their own words leads to the topic.
func TestQuestionsOfOperators(t *testing.T) {
	for name, questions := range map[string][]string{
		"disk": {"what is filling the disk?", "where did all my space go?", "why is there no space left on device", "what takes up all the room?",
			"who eats the disk?", "disk full!", "which folders are the largest directories", "df shows 100%, why"},
		"files": {"show me the biggest files", "list the largest files", "which files are the biggest?", "find huge files", "show the top 10 biggest files in /var",
			"what are the large files here", "biggest logs?"},
		"services": {"is anything broken?", "is something broken", "what's broken?", "anything wrong?", "any problems?", "is everything all right?", "is everything ok?",
			"does anything need attention?", "what needs fixing", "is this box healthy?", "anything I should worry about?", "is anything down?", "what is not working?"},
	} {
		for _, q := range questions {
			s, ok := understand(q).(survey)
			if !ok || !slices.ContainsFunc(s.topics, func(tp *topic) bool { return tp.Name == name }) {
				t.Errorf("%q does not lead to %s: %v", q, name, understand(q))
			}
		}
	}
}

// TestTheBiggestFiles are looked for on every file system, or where the question says.
func TestTheBiggestFiles(t *testing.T) {
	outputs := map[string]string{
		"df -hPT":           "Filesystem Type Size Used Avail Use% Mounted on\n/dev/vda1 ext4 50G 45G 5G 90% /\n/dev/vdb1 ext4 50G 5G 45G 10% /srv\ntmpfs tmpfs 1G 0 1G 0% /run\n",
		"find / /srv -xdev": "5368709120\t/srv/dump.sql\n1073741824\t/var/log/a b.log\n",
		"find /var -xdev":   "",
	}
	want := "The largest files under `/` and `/srv`, as far as this user may read:\n\n- 5.0 GiB: `/srv/dump.sql`\n- 1.0 GiB: `/var/log/a b.log`"
	if got := answerTo(t, "show me the biggest files", outputs); got != want {
		t.Error(got)
	}
	if got := answerTo(t, "show me the biggest files in /var", outputs); got != "No file of more than 10 MiB under `/var`, as far as this user may read." {
		t.Error(got)
	}
}
