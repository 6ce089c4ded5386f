package terminal

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/nod-console/nod/tools"
)

// modifiers may stand before a key, each once, as tmux(1) has them.
var modifiers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[CMScms]-)*`) })

// namedKeys are tmux's names of keys, in lower case.
var namedKeys = func() map[string]bool {
	names := map[string]bool{}
	for _, n := range strings.Fields(`enter escape space tab btab bspace up down left right home end
		pageup pgup ppage pagedown pgdn npage ic insert dc delete
		f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12
		kp/ kp* kp- kp7 kp8 kp9 kp+ kp4 kp5 kp6 kp1 kp2 kp3 kpenter kp0 kp.`) {
		names[n] = true
	}
	return names
}()

// checkKey rejects what is not a key: tmux would type an unknown name as text.
// The error is an invalid_args error.
func checkKey(name string) error {
	bare := name[len(modifiers().FindString(name)):]
	if r, n := utf8.DecodeRuneInString(bare); n > 0 && n == len(bare) && r != utf8.RuneError && unicode.IsGraphic(r) && r != ' ' {
		return nil
	}
	if namedKeys[strings.ToLower(bare)] {
		return nil
	}
	return tools.Invalid(`there is no key %q: keys are names such as "C-c", "Enter", "Up", "F5" or single characters; text goes into literal_text`, name)
}

// checkLiteral rejects control characters, which have names as keys. The error
// is an invalid_args error.
func checkLiteral(text string) error {
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return tools.Invalid("literal_text holds the control character U+%04X: name it in keys", r)
		}
	}
	return nil
}

// typed describes what was typed, in the order in which it was.
func typed(a tools.Action) string {
	var parts []string
	if a.Literal != "" {
		parts = append(parts, fmt.Sprintf("%d characters of text", utf8.RuneCountInString(a.Literal)))
	}
	if len(a.Keys) > 0 {
		parts = append(parts, strings.Join(a.Keys, " "))
	}
	if a.Enter {
		parts = append(parts, "Enter")
	}
	return strings.Join(parts, ", then ")
}
