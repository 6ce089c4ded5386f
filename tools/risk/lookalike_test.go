package risk

import "testing"

func TestAPageOfAHostThatOnlyLooksFamiliar(t *testing.T) {
	if v := Fetch("https://gіthub.com/x"); v.Level != High || v.Flags&Opaque == 0 {
		t.Errorf("level %v, flags %v", v.Level, v.Flags)
	}
}

// A host's name that is not what it looks like is high, and known to nobody by reading:
// no rule for always is offered for it. Names of other languages are none of this.
func TestNamesThatOnlyLookFamiliar(t *testing.T) {
	for _, c := range []struct {
		command string
		high    bool
	}{
		{"curl https://gіthub.com/x", true},  // Cyrillic і
		{"curl https://аррӏе.com/x", true},   // Cyrillic throughout
		{"ssh wеb-1 uptime", true},           // Cyrillic е
		{"ping -c1 gοogle.com", true},        // Greek ο
		{"dig +short exаmple.org", true},     // Cyrillic а
		{"scp file deploy@wеb-1:/srv", true}, // ... behind a user
		{"git clone https://gіthub.com/a/b", true},
		{"ls отчёт-v2.txt", false},
		{"ls Überblick.txt", false},
		{"ls 漢字abc.txt", false},
		{"ping -c1 example.org", false},
	} {
		v := Command(c.command, Bash)
		if got := v.Level == High && v.Flags&Opaque != 0; got != c.high {
			t.Errorf("%s: level %v, flags %v", c.command, v.Level, v.Flags)
		}
	}
}
