package harmless

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		"plain ü→😀\n\ttext":      "plain ü→😀\n\ttext",
		"\x1b[2J":                `\u{1b}[2J`,
		"a\u202eb\u200b":         `a\u{202e}b\u{200b}`,
		"\x9b31m and \xff":       "\uFFFD31m and \uFFFD",
		"no\u00a0break \r\x00":   "no\u00a0break " + `\u{d}\u{0}`,
		"\u009b in UTF-8 \u2028": `\u{9b} in UTF-8 \u{2028}`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Line(" one\n two\x07 three ", 10); got != `one two\u…` {
		t.Errorf("%q", got)
	}
	got := Value(map[string]any{"\x1b": []any{"\x07", 1.0, nil, true}})
	if diff := cmp.Diff(map[string]any{`\u{1b}`: []any{`\u{7}`, 1.0, nil, true}}, got); diff != "" {
		t.Error(diff)
	}
}
