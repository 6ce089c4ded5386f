package console_test

import (
	"testing"

	"github.com/nod-console/nod/ui/console"
)

// With vi's keys the last line says in which mode the input is, and Esc goes back to
// normal mode before it goes back anywhere else.
func TestViInTheInput(t *testing.T) {
	s := begin(t, 80, 24, func(o *console.Options) { o.Vi = true })
	s.See("vi insert").Type("one two").Press("Esc").See("vi normal").Press("b", "x").See("> one wo")
	s.Press("Ctrl-P").See("┌ commands").Press("Esc").Gone("┌ commands").See("vi normal")
	s.Press("d", "d").See("> ask for something").Press("?").See("help · ").Press("Esc").Gone("help · ")
	s.Press("i").See("vi insert").Type("again").Press("Enter").See("You said: again").See("vi insert")

	// Earlier prompts are found by / in normal mode, where Ctrl-R makes a change again.
	s.Type("one two").Press("Esc", "b", "D").See("> one").Gone("one two").Press("u").See("> one two").Press("Ctrl-R").Gone("one two")
	s.Press("d", "d", "/").See("your prompts").Press("Esc").Gone("your prompts")
	s.Press("i", "Ctrl-R").See("your prompts")
}
