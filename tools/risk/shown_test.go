package risk

import (
	"strings"
	"testing"
)

// deceiving are pieces that look like something else, or like nothing.
var deceiving = []string{"\u0430", "\u200b", "\u202e", "\u00a0", "\xff", "…", "⟦U+0041⟧", "é", "\U0001f4a9", "\u0301"}

// TestReasonsShowWhatIsThere: nothing that is quoted of a command looks like what
// it is not, wherever it stands.
func TestReasonsShowWhatIsThere(t *testing.T) {
	for _, form := range []string{
		"cat x%s", "ls --x%s", "x%s a", "cat /etc/shadow%s", "cat <x >/etc/%s", "rm -rf /srv/%s", "git x%s", "kubectl x%s y", "curl http://x%s/",
		"ping %s", "dig @1.1.1.1 x%s", "env X=%s ls", "X%s=1 ls", "ssh h%s 'cat %s'", "find / -x%s", "dd of=/dev/x%s", "select%s", "tar x%s", "sort -o %s a",
		"psql -c 'select %s(1)'", "bash -c \"rm -rf %s\"", "aws s3 ls s3://%s", "for i in %s; do rm -rf $i; done",
	} {
		for _, piece := range deceiving {
			for _, d := range []Dialect{Bash, POSIX, Zsh, Fish} {
				text := strings.ReplaceAll(form, "%s", piece)
				v := Command(text, d)
				for _, f := range v.Findings {
					if !exact(f.Why) {
						t.Errorf("%+q: the reason %+q shows what is not there", text, f.Why)
					}
				}
				if all := Explain(v, text); !exact(strings.ReplaceAll(all, "\n", "")) {
					t.Errorf("%+q: the explanation %+q shows what is not there", text, all)
				}
			}
		}
	}
}

// exact reports whether a text is ASCII and the signs for everything else.
func exact(text string) bool {
	for _, r := range text {
		if (r < ' ' || r >= 0x7f) && !strings.ContainsRune("⟦⟧·…", r) {
			return false
		}
	}
	return true
}
