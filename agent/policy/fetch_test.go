package policy

import (
	"testing"

	"github.com/nod-console/nod/tools"
)

// TestWhatIsFetched: a host that the operator has named runs by itself, any other
// asks, and rules go by tool and host.
func TestWhatIsFetched(t *testing.T) {
	fetch := func(url string) Proposal {
		return Proposal{Action: tools.Action{Tool: "fetch_url", Kind: tools.Fetch, Target: "local", Command: url}, Conversation: "c", Call: "1"}
	}
	s := engine(t, Options{Rules: rules(t, `
[[rule]]
verdict = "allow"
tool = ["fetch_url"]
host = ["docs.example.com"]

[[rule]]
verdict = "deny"
tool = ["fetch_url"]
host = ["*.evil.example"]
`)})
	for url, want := range map[string]Ruling{
		"https://docs.example.com/a": Allow, "https://other.example.com/": Ask, "https://named.example.com/x?y=z": Allow,
		"https://x.evil.example/": Deny, "https://localhost/": Ask, "": Ask,
	} {
		p := fetch(url)
		p.Named = func(host string) bool { return host == "named.example.com" || host == "x.evil.example" }
		if x := s.Explain(p); x.Ruling != want || x.Confirm && url != "" && url != "https://localhost/" {
			t.Errorf("%q: %+v", url, x)
		}
	}
	p := fetch("https://named.example.com/printed")
	p.Named = func(string) bool { return true }
	p.Taint = []Span{{26, 33}}
	if x := s.Explain(p); x.Ruling != Ask {
		t.Errorf("what was printed is sent by itself: %+v", x)
	}
	s.SetPosture(PostureAskAll)
	if x := s.Explain(fetch("https://docs.example.com/a")); x.Ruling != Ask {
		t.Errorf("ask-all: %+v", x)
	}
	s.SetPosture(PostureReadOnly)
	p = fetch("https://other.example.com/")
	if x := s.Explain(p); x.Ruling != Ask {
		t.Errorf("read-only, which asks about another host: %+v", x)
	}
}
