package console_test

import (
	"strings"
	"testing"
	"time"
)

// TestTheDecisionIsABlock: what was asked and answered stays readable above it, it is
// as high as its content, and one key gives it as much of the screen as it needs and takes
// that back.
func TestTheDecisionIsABlock(t *testing.T) {
	pictured(t, nil, func(t *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("why is the disk full?").Press("Enter").See("You said")
		answers := s.ask(t.Context(), onProd("rm -rf /srv/app/old"))
		s.See("APPROVE")
		s.reads().Picture("block")
		w, h := s.Screen().Size()
		rows := strings.Split(s.Text(), "\n")
		top := 0
		for i, row := range rows {
			if strings.Contains(row, "APPROVE") {
				top = i
			}
		}
		if above := strings.Join(rows[:top], "\n"); h >= 40 && !strings.Contains(above, "> why is the disk full?") || h >= 24 && !strings.Contains(above, "You said") {
			t.Errorf("what was asked is not above the block\n%s", s.Text())
		}
		for i := top; i < h-1; i++ { // without a void
			left := []rune(rows[i])
			if inner := strings.Trim(string(left[:min(len(left), 36)]), "│ "); inner == "" && h >= 24 {
				t.Errorf("row %d of the block is empty\n%s", i, s.Text())
			}
		}
		s.Press("Ctrl-O").Picture("block-whole")
		rows = strings.Split(s.Text(), "\n")
		top = 1
		for top < h-1 && !strings.Contains(rows[top], "APPROVE") {
			top++
		}
		for i, row := range rows[top : h-1] { // as wide as the screen, and without a void
			if len([]rune(row)) != w || h >= 24 && strings.Trim(row, "│ ") == "" {
				t.Errorf("row %d of the block is %q", i, row)
			}
		}
		s.Press("y").Idle() // a change of size: nothing counts yet
		select {
		case a := <-answers:
			t.Fatalf("answered at once: %+v", a)
		default:
		}
		s.reads().Press("Ctrl-O")
		s.reads().toTheEnd()
		s.decide("y")
		if a := answer(t, answers); !a.Approved {
			t.Errorf("%+v", a)
		}
	})
}

// TestTheInboxShowsAllThatWaits, and what is chosen in it is asked next; the list
// decides nothing.
func TestTheInboxShowsAllThatWaits(t *testing.T) {
	pictured(t, nil, func(t *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ")
		first, second := onProd("touch /srv/one"), onProd("touch /srv/two")
		second.ID, second.Action.Target = "r2", "ssh:db-1"
		one := s.ask(t.Context(), first)
		s.See("touch /srv/one")
		s.clock.Advance(90 * time.Second)
		two := s.ask(t.Context(), second)
		s.See("2 waiting").Press("Ctrl-A").See("2 wait for your nod").See("/srv/two")
		s.Picture("inbox")
		s.Press("Down", "Enter").See("APPROVE on ssh:db-1")
		s.reads().toTheEnd().decide("y")
		if a := answer(t, two); !a.Approved || a.RequestID != "r2" {
			t.Errorf("%+v", a)
		}
		s.See("APPROVE on ssh:web-1")
		s.reads().decide("n")
		if a := answer(t, one); a.Approved {
			t.Errorf("%+v", a)
		}
		s.Gone("APPROVE")
	})
}
