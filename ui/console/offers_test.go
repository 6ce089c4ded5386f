package console_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/completion"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/targets"
)

// disk answers searches for files by a table; a search for "slow" waits until it
// is let go.
type disk struct{ letGo chan struct{} }

func (d *disk) Files(ctx context.Context, written string, _ bool) (completion.Found, error) {
	all := map[string]completion.Found{
		"": {All: []completion.Candidate{
			{Text: "./", Note: "this folder", Put: "/srv"}, {Text: "conf/", Note: "folder", Put: "@conf/", More: true}, {Text: "notes.txt", Put: "/srv/notes.txt"},
		}, Note: "left out: 2 that may hold secrets"},
		"conf/": {All: []completion.Candidate{{Text: "a.conf", Put: "/srv/conf/a.conf"}, {Text: "b.conf", Put: `"/srv/conf/b b.conf"`}}},
		"slow":  {All: []completion.Candidate{{Text: "slow.txt", Put: "/srv/slow.txt"}}},
		"k":     {Note: "left out: 1 that may hold secrets"},
	}
	switch {
	case written == "slow":
		select {
		case <-d.letGo:
		case <-ctx.Done():
			return completion.Found{}, ctx.Err()
		}
	case written == "x":
		return completion.Found{}, errors.New("open /srv/x: permission denied")
	}
	return all[written], nil
}

func writing(t *testing.T, cols, rows int) (*story, *disk) {
	t.Helper()
	d := &disk{letGo: make(chan struct{})}
	s := begin(t, cols, rows, func(opt *console.Options) {
		opt.Files = d.Files
		opt.Edit = func(_ context.Context, text string) (string, error) { return text + " edited", nil }
		opt.SetPosture = func(context.Context, string) error { return nil }
		opt.Targets = &console.Targets{
			List: func() []targets.Target { return []targets.Target{{Name: "local"}, {Name: "ssh:notary"}} },
			Use:  func(context.Context, string) error { return nil },
		}
	})
	return s, d
}

func TestAFileIsOfferedBehindAnAt(t *testing.T) {
	s, d := writing(t, 80, 24)
	s.Type("read @").See("› local").See("notes.txt").See("left out: 2 that may hold secrets").See("Tab take it")
	s.Type("n").See("› ssh:notary").Gone("notes.txt").Press("Tab").See("> read ssh:notary").Gone("›")
	s.Type("and @").See("conf/").Press("Up", "Up").See("› conf/").Press("Tab").See("> read ssh:notary and @conf/").See("› a.conf")
	s.Press("Down", "Enter").See(`and "/srv/conf/b b.conf"`).Gone("›").Type("now").Press("Enter")
	s.See(`You said: read ssh:notary and "/srv/conf/b b.conf" now`)

	// Enter sends what is written, unless something was marked by hand.
	s.Type("mail @").See("› local").Press("Enter").See("You said: mail @").Gone("›")

	// Esc wants no candidates for this word; the next one has some again.
	s.Type("at @").See("› local").Press("Esc").Gone("›").Type("c").Gone("›").Press("Ctrl-U").Type("@").See("› local").Press("Ctrl-U").Gone("›")

	// What was wanted before the disk has answered is put in when it has.
	s.Type("@slow").See("looking").Press("Tab").See("> @slow")
	close(d.letGo)
	s.See("> /srv/slow.txt").Press("Ctrl-U")

	s.Type("@k").See("left out: 1 that may hold secrets").Press("Tab").See("> @k").Press("Ctrl-U")
	s.Type("@x").See("open /srv/x: permission denied").Press("Ctrl-U")
	s.Type("!mail @").Gone("›").Press("Ctrl-U")
	s.Type("me@example.org").Gone("›").Press("Tab").See("reading").Press("Esc", "Ctrl-U")
	s.Paste("see @").See("› local").Press("Ctrl-U")

	// The palette that is opened over it has what can be done in the input.
	s.Type("@").See("› local").Press("Ctrl-P").Type("your editor").See("› Editor").Press("Esc", "Esc").See("› local").Press("Ctrl-X").See("> @ edited")
}

func TestACommandIsOfferedBehindASlash(t *testing.T) {
	s, _ := writing(t, 80, 24)
	s.Type("/st").See("› status").See("steer").Press("Tab").See("> /status").Gone("›").Press("Enter").See("approvals waiting: 0")
	s.Type("/appr").Press("Tab").See("› ask").Press("Down").See("› ask-all").Press("Enter", "Enter").See("posture: ask-all")
	s.Type("/target not").Gone("›").Press("Ctrl-U").Type("/target ssh").See("› ssh:notary").Press("Ctrl-U")
	s.Type("/theme drac").See("› dracula").Press("Ctrl-U")
	s.Type("/etc").Gone("›").Type("/passwd").Gone("›").Press("Ctrl-U")
	s.Type("/resume").See("(no earlier conversation was left open)").Press("Ctrl-U")
}

// What was wanted is not put in once the operator is elsewhere.
func TestAnOfferThatComesLateChangesNothing(t *testing.T) {
	s, d := writing(t, 80, 24)
	s.console.AddPane(newTerminal("$ ").pane("%1", "local"))
	s.Idle().Type("@slow").See("looking").Press("Tab").Mouse(60, 5, tcell.Button1).Mouse(60, 5, tcell.ButtonNone).See("reading local")
	close(d.letGo)
	s.Press("Esc").See("> @slow").See("› slow.txt")
	s.Gone("/srv/slow.txt")
}

func TestTheMouseIsSwitchedAtRunTime(t *testing.T) {
	s := begin(t, 80, 24, func(opt *console.Options) { opt.Mouse = true })
	for _, c := range []struct {
		line, see string
		on        bool
	}{
		{"/mouse maybe", `/mouse "maybe": want on or off`, true},
		{"/mouse off", "the mouse is your terminal's", false},
		{"/mouse", "the mouse selects, scrolls and clicks here", true},
		{"/mouse", "the mouse is your terminal's", false},
		{"/mouse on", "the mouse selects", true},
	} {
		if s.Type(c.line).Press("Enter").See(c.see); s.MouseReported() != c.on {
			t.Errorf("%s: reported %v", c.line, !c.on)
		}
		s.Type("/new").Press("Ctrl-U")
	}
	s.Type("/mouse o").See("› on").See("off")
}

// What the screen looks like with candidates and with the palette, at all sizes.
func TestOffersAndPaletteAtAllSizes(t *testing.T) {
	for _, size := range sizes {
		at := fmt.Sprintf("-%dx%d", size[0], size[1])
		s, _ := writing(t, size[0], size[1])
		s.console.AddPane(newTerminal("$ ls\nnotes.txt").pane("%1", "local"))
		s.Idle().Type("compare @").See("left out: 2 that may hold secrets").Golden("files" + at).Press("Ctrl-U")
		s.Type("/st").See("› ").Golden("commands" + at).Press("Ctrl-U")
		s.Type("a draft").Press("Ctrl-P").See("commands").Golden("palette" + at)
		s.Type("terminal").Golden("palette-filtered" + at)
		s.Press("Ctrl-U").Type("zzqqzz").See("nothing fits").Press("Ctrl-U").Press("Down", "Down", "End").See("› Quit")
		if last := strings.Count(s.Text(), "› "); last != 1 {
			t.Errorf("%s: %d rows are marked", at, last)
		}
	}
}
