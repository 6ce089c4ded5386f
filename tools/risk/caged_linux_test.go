package risk

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
)

const (
	// cagedSample is how many commands there are for one that runs; CAGED=all runs all.
	cagedSample = 40
	// ofEachFamily is how many run of each family of programs, whatever the sample has.
	ofEachFamily = 2
	// cagedTime bounds a command: some look for ever, or ask hosts that are not there.
	cagedTime = 2 * time.Second
)

// quiet are programs whose answer is whole without what they are refused.
var quiet = map[string]string{
	"top":       "it makes the folder of its settings",
	"blkid":     "it keeps a cache in /run/blkid",
	"apt-cache": "it keeps a cache of the lists",
	"gcloud":    "it makes the folders of its settings and of its log",
	"bq":        "as gcloud",
	"rclone":    "as gcloud",
	"java":      "it chooses what a core dump of it would hold",
	"jps":       "it chooses what a core dump of it would hold, and keeps what others may read of it in a file",
	"jstat":     "as jps",
	"jcmd":      "as jps",
	"keytool":   "as jps",
	"chronyc":   "it makes its end of a socket, and asks over the loopback without it",
	"rpm":       "Debian's makes the folder of a database of one's own",
	"multipath": "it makes the folder of the names that it gives",
	"faillock":  "it makes the tally of a user who has none",
	"gpg":       "it makes the folder of its keys",
	"nmcli":     "it chooses how its threads are scheduled",
	"tmux":      "it makes the folder of its socket",
}

// The kernel is the judge: what the corpus calls automatic runs in its cage, with the
// grants that its verdict names, without being refused a write or a connection.
func TestAutomaticCommandsAreRefusedNothingInTheirCage(t *testing.T) {
	// The system's own programs: wrappers in front of them, as version managers put there, do more.
	target := local.New([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + t.TempDir(), "TERM=xterm", "LC_ALL=C.UTF-8", "PAGER=cat"})
	cage, err := confine.Install(t.Context(), target, "\n")
	var none *confine.NotHeldError
	if errors.As(err, &none) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(cage.Remove(context.Background(), target), target.Close()); err != nil {
			t.Error(err)
		}
	})
	every := cagedSample
	if os.Getenv("CAGED") == "all" {
		every = 1
	}
	n, ran, families := 0, 0, map[string]int{}
	for _, e := range corpus(t) {
		v := Command(e.command, Bash)
		wall := cage.For(v.Needs.String())
		if !e.auto || e.reach || !v.Auto || v.InShell || v.Needs.Has(NeedFree) || wall == confine.None {
			continue
		}
		program, _, _ := strings.Cut(e.command, " ")
		family := familyOf(program)
		if n++; n%every != 0 && (family == "" || families[family] >= ofEachFamily) {
			continue
		}
		if told, ok := caged(t, target, cage.Wrap([]string{"bash", "-c", e.command}, confine.Hold{Wall: wall, Grants: v.Needs.String(), Limits: confine.Modest})); ok {
			ran++
			families[family]++
			if told != "" && told != "use a unix socket" && quiet[program] == "" {
				t.Errorf("%s:%d: %s (%s): the cage refused: %s", e.file, e.line, e.command, v.Needs, told)
			}
		}
	}
	for _, family := range []string{"coreutils", "network", "process", "storage", "text"} {
		if families[family] < ofEachFamily {
			t.Errorf("of %s, %d ran", family, families[family])
		}
	}
	t.Logf("%d ran, by family: %v", ran, families)
}

// familyOf is the data file that describes a program, without its suffix.
func familyOf(program string) string {
	if all := programs().stanzas[program]; len(all) > 0 {
		return strings.TrimSuffix(all[0].file, ".spec")
	}
	return ""
}

// caged runs a held command and returns what was refused; ok is false for one that did not
// end in time or is not installed.
func caged(t *testing.T, target backends.Target, argv []string) (refused string, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cagedTime)
	defer cancel()
	var complaints bytes.Buffer
	p, err := target.Exec(ctx, backends.Command{Argv: argv, Dir: "/tmp", Stdin: strings.NewReader("a b\n"), Stderr: &complaints})
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := p.Wait()
	if err != nil || outcome == backends.ExitedWith(127) {
		return "", false
	}
	return confine.Refusals(complaints.String()), true
}
