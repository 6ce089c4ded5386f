package console_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/console"
)

// hold keeps the console from handling anything until the returned function is called.
func (p *terminalOf) hold(t *testing.T) (release func()) {
	t.Helper()
	held, free := make(chan struct{}), make(chan struct{})
	if err := p.screen.PostEvent(tcell.NewEventInterrupt(func() { close(held); <-free })); err != nil {
		t.Fatal(err)
	}
	select {
	case <-held:
	case <-time.After(time.Minute):
		t.Fatal("the console handles nothing")
	}
	return func() { close(free) }
}

// A line that is typed for a terminal which is not there is no prompt: not what is typed
// ahead, and not before the operator has said so.
func TestALineTypedForATerminalThatIsNotThere(t *testing.T) {
	p := openTerminal(t, 100, 30)
	said := &model{}
	p.run(t.Context(), t, console.Options{Submit: said.Submit}, func(*console.Console) {})
	p.see(t, "ask for something")
	p.press(t, "\x1decho 1\recho 2\r")
	p.see(t, "nothing was sent")
	p.hold(t)()
	if got := said.got(); len(got) != 0 {
		t.Fatalf("the model got %q", got)
	}
	p.press(t, "\r")
	wait(t, func() bool { return len(said.got()) == 1 }, func() string { return "nothing was sent" })
	p.press(t, "what is up\r") // as usual again
	wait(t, func() bool { return len(said.got()) == 2 }, func() string { return "nothing was sent" })
	if got := said.got(); got[0] != "echo 1echo 2" || got[1] != "what is up" {
		t.Errorf("the model got %q", got)
	}
}

// A line that is typed in the instant of Ctrl-] goes to the terminal, whole and nowhere
// else: however the bytes are cut into reads, and whether the console handles each at
// once or all of them late. So does one behind it in the other direction.
func TestALineTypedWithTheKeyThatHandsOver(t *testing.T) {
	const line, prompt = "echo über 1", "what is up"
	for name, toggle := range map[string]string{"plain": "\x1d", "kitty": "\x1b[93;5u", "modifyOtherKeys": "\x1b[27;5;93~"} {
		t.Run(name, func(t *testing.T) {
			p := openTerminal(t, 100, 30)
			term, said := newTerminal("$ "), &model{}
			p.run(t.Context(), t, console.Options{Submit: said.Submit}, func(c *console.Console) { c.AddPane(term.pane("%1", "local")) })
			p.see(t, "ask for something")
			p.see(t, "live") // the terminal stands beside the chat: else the key has nothing to go to
			all := toggle + line + "\r" + toggle + prompt + "\r"
			want, prompts := "", 0
			check := func(what string) {
				t.Helper()
				want, prompts = want+line+"\r", prompts+1
				wait(t, func() bool { typed, _ := term.got(); return len(typed) >= len(want) && len(said.got()) >= prompts },
					func() string { typed, _ := term.got(); return fmt.Sprintf("%s: %q, %q", what, typed, said.got()) })
				if typed, _ := term.got(); typed != want || len(said.got()) != prompts || said.got()[prompts-1] != prompt {
					t.Fatalf("%s: the terminal got %q, the model %q", what, typed, said.got())
				}
			}
			p.press(t, all)
			check("in one read")
			for cut := 1; cut < len(all); cut++ {
				p.press(t, all[:cut])
				if rest := cut % (len(toggle) + len(line) + 1); rest == 0 || rest >= len(toggle) { // else the rest of a key would come too late
					wait(t, func() bool { return p.unread(t) == 0 }, func() string { return "nothing is read" })
					p.hold(t)() // what has come so far is handled
				}
				p.press(t, all[cut:])
				check(fmt.Sprintf("cut after %q, handled at once", all[:cut]))
			}
			for cut := 1; cut < len(all); cut += 3 {
				release := p.hold(t)
				p.press(t, all[:cut])
				p.press(t, all[cut:])
				wait(t, func() bool { return p.unread(t) == 0 }, func() string { return "nothing is read" })
				release()
				check(fmt.Sprintf("cut after %q, handled late", all[:cut]))
			}
		})
	}
}
