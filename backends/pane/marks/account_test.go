package marks

import (
	"testing"

	"github.com/nod-console/nod/backends"
)

func TestAnAccountTellsWhatBecameOfALine(t *testing.T) {
	for _, c := range []struct {
		text           string
		prompt         int
		ended, running bool
		code           int
		forgotten      bool
	}{
		{"0:run:", 0, false, true, 0, false},
		{"3:0:3=0,2=1,1=7,", 0, true, false, 7, false},
		{"3:0:3=0,2=1,1=7,", 1, true, false, 1, false},
		{"3:0:3=0,2=1,1=7,", 3, false, false, 0, false},
		{"3:run:3=0,2=1,1=7,", 2, true, false, 0, false},
		{"3:run:3=0,2=1,1=7,", 3, false, true, 0, false},
		{"2:0:2=5,1~130,", 0, true, false, 5, false}, // an interrupt of before had its own prompt
		{"1:2:1~2,", 0, false, false, 0, false},      // refused
		{"9:0:9=0,8=1,7=7", 6, true, false, 1, true}, // the last one may have been cut
		{"9:0:9=0,8=1,", 2, true, false, 1, true},    // too long ago
		{"9:0:", 2, false, false, 0, true},           // nothing kept
		{"9:0:5=130,", 4, true, false, 130, false},   // nod's own alone
		{"1:0:1=0,", 0, true, false, 0, false},
	} {
		a, ok := ParseAccount(c.text)
		if !ok {
			t.Errorf("%q is none", c.text)
			continue
		}
		end, ended, running := a.Since(c.prompt)
		if ended != c.ended || running != c.running || ended && end.Outcome != backends.ExitedWith(c.code) {
			t.Errorf("%q since %d: %+v, ended %v, running %v", c.text, c.prompt, end, ended, running)
		}
		if all := c.text != "9:0:5=130,"; a.Forgotten(c.prompt, all) != c.forgotten {
			t.Errorf("%q since %d: forgotten %v", c.text, c.prompt, !c.forgotten)
		}
	}
	for _, text := range []string{"", "run", "1", "1:0", "x:0:", "-1:0:", "1:x:", "1:1000:", "1:0:1,", "1:0:x=1,", "1:0:1=,", "1:0:1=1000,"} {
		if a, ok := ParseAccount(text); ok {
			t.Errorf("%q is %+v", text, a)
		}
	}
}
