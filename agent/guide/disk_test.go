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

func (w *folderTree) used() (sum float64) {
	for _, files := range []map[string]float64{w.files, w.gone} {
		for _, n := range files {
			sum += n
		}
	}
	return sum
}

// run is what the commands of the guide print there.
func (w *folderTree) run(line string) (out, errs string) {
	w.asked = append(w.asked, line)
	here := mount{line: 3}.there()
	switch {
	case strings.HasPrefix(line, "df -kPT"):
		used := w.used() / 1024
		return "Filesystem Type 1024-blocks Used Available Capacity Mounted on\n" +
			"/dev/vdb1 ext4 104857600 1048576 103809024 1% /elsewhere\n" +
			fmt.Sprintf("/dev/vda1 ext4 %.0f %.0f %.0f 98%% %s\n", used*1.02, used, used*.02, w.at), ""
	case strings.HasPrefix(line, "du -xak -- "+here+" "):
		return w.du()
	case line == deletedLine(here):
		out := "device 64\n"
		for i, path := range slices.Sorted(maps.Keys(w.gone)) {
			out += fmt.Sprintf("file %.0f 64 %d /proc/4711/fd/%d\nfile %.0f 64 %d /proc/4712/fd/%d\n", w.gone[path]/1024, 100+i, i, w.gone[path]/1024, 100+i, i)
			out += fmt.Sprintf("name /proc/4711/fd/%d %s (deleted)\n", i, path)
		}
		return out + "file 99999999 7 1 /proc/1/fd/1\nname /proc/1/fd/1 /memfd:x (deleted)\n", ""
	}
	return "", ""
}

func within(path, folder string) bool {
	return strings.HasPrefix(path, strings.TrimRight(folder, "/")+"/")
}

func (w *folderTree) du() (out, errs string) {
	sums := map[string]float64{}
	files := maps.Clone(w.files)
	if w.locked != "" {
		files[w.locked] = 4096 // the folder itself
		errs = "du: cannot read directory '" + w.locked + "': Permission denied\n"
	}
	for path, n := range files {
		if w.locked != "" && within(path, w.locked) {
			continue
		}
		for at := path; ; at = parentOf(at) {
			sums[at] += n
			if at == w.at {
				break
			}
		}
	}
	paths := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		if sums[a] != sums[b] {
			return int(sums[b]/1024) - int(sums[a]/1024)
		}
		return strings.Compare(a, b)
	})
	for _, path := range paths[:min(len(paths), 100)] {
		out += fmt.Sprintf("%.0f\t%s\n", sums[path]/1024, path)
	}
	return out, errs
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
			out, errs := w.run(line)
			tn.done[s.key()] = readOutcome(envelope(t, map[string]any{"exit_code": 0, "stdout": out, "stderr": errs}))
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
			for range rapid.IntRange(1, 9).Draw(rt, "depth") {
				path += "/" + part.Draw(rt, "part")
			}
			w.files[path+fmt.Sprint(i)] = float64(rapid.IntRange(1, 40).Draw(rt, "GiB")) * gib
		}
		if rapid.Bool().Draw(rt, "deleted") {
			w.gone[strings.TrimRight(w.at, "/")+"/old.log"] = float64(rapid.IntRange(1, 100).Draw(rt, "gone")) * gib
		}
		if rapid.Bool().Draw(rt, "locked") {
			w.locked = parentOf(slices.Sorted(maps.Keys(w.files))[0])
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
		if total < 0.79*w.used() && !strings.Contains(got, "not explained") && !strings.Contains(got, "could not read") {
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
	for _, want := range []string{"`/usr/lib/a` (2.0 GiB)", "could not read `/root`", "**6.0 GiB** is in files that were deleted", "`/var/log/app.log` (6.0 GiB, pid `4711`)", "**10.0 GiB are not explained**"} {
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
		df := "Filesystem Type 1024-blocks Used Available Capacity Mounted on\n/dev/vda1 ext4 50000000 5000000 45000000 10% /\n" + kind + " " + kind + " 64000 64000 0 100% /run\n"
		got := answerTo(t, "what is filling the disk?", map[string]string{"df -kPT": df, "df -iP": "", "du": "5000000\t/\n4000000\t/usr\n", "stat": "device 1\n"})
		if !strings.Contains(got, want) || strings.Contains(got, "None is close to full") {
			t.Errorf("%s: %s", kind, got)
		}
	}
	got := answerTo(t, "what is filling the disk?", map[string]string{
		"df -kPT": "Filesystem Type 1024-blocks Used Available Capacity Mounted on\n/dev/vda1 ext4 50000000 5000000 45000000 10% /\n",
		"df -iP":  "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/vda1 100 100 0 100% /\n", "du": "5000000\t/\n4000000\t/usr\n", "stat": "device 1\n"})
	if strings.Contains(got, "close to full") || !strings.Contains(got, "Inodes run out on `/` (100 %)") {
		t.Error(got)
	}
}

// TestHowFullIsAGlance: du is not begun for a question that df answers, unless it matters.
func TestHowFullIsAGlance(t *testing.T) {
	for percent, looks := range map[int]bool{20: false, 85: true} {
		df := fmt.Sprintf("Filesystem Type 1024-blocks Used Available Capacity Mounted on\n/dev/vda1 ext4 1000 %d %d %d%% /\n", 10*percent, 1000-10*percent, percent)
		got := answerTo(t, "how full is the disk?", map[string]string{"df -kPT": df, "df -iP": "", "du": "900\t/\n800\t/usr\n", "stat": "device 1\n"})
		if strings.Contains(got, "/usr") != looks || looks == strings.Contains(got, "None is close to full") {
			t.Errorf("%d %%: %s", percent, got)
		}
	}
}

// TestAForgedLineIsLeftOut: a line break in a folder's name makes lines that du has not
// meant. They are in no folder, or larger than it.
func TestAForgedLineIsLeftOut(t *testing.T) {
	s := readSizes("/srv", outcome{text: "900\t/home/forged\n800\t/srv/forged\n500\t/srv\n400\t/srv/a\nb\n300\t/srv/a/x\n200\t/srv/forged2\n90\t/srv/c\n"})
	if s.of["/home/forged"]+s.of["/srv/forged"]+s.of["/srv/forged2"] != 0 || s.of["/srv/a"] != 400*1024 || s.of["/srv/c"] != 90*1024 {
		t.Errorf("%v", s.of)
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

// TestTheBiggestFiles are looked for on the file systems that hold most, or where the
// question says.
func TestTheBiggestFiles(t *testing.T) {
	outputs := map[string]string{
		"df -kPT":                    "Filesystem Type 1024-blocks Used Available Capacity Mounted on\n/dev/vda1 ext4 50000000 45000000 5000000 90% /\n/dev/vdb1 ext4 50000000 5000000 45000000 10% /srv\ntmpfs tmpfs 1000 0 1000 0% /run\n",
		`cd "$(df -kPT | sed -n '2s`: "/\n1048576\t./var/log/a b.log\n", `cd "$(df -kPT | sed -n '3s`: "/srv\n5242880\t./dump.sql\n4096\t/etc/forged\n",
		"find /var -xdev": "",
	}
	want := "The largest files under `/` and `/srv`, as far as this user may read:\n\n- 5.0 GiB: `/srv/dump.sql`\n- 1.0 GiB: `/var/log/a b.log`"
	if got := answerTo(t, "show me the biggest files", outputs); got != want {
		t.Error(got)
	}
	if got := answerTo(t, "show me the biggest files in /var", outputs); got != "No file of more than 1 MiB under `/var`, as far as this user may read." {
		t.Error(got)
	}
}
