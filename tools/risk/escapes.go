package risk

import (
	"regexp"
	"strings"
	"sync"
)

// Loss by way of a client, an editor or a pager that acts by itself or hands a command to a
// shell: in its arguments, or in what it is fed.

var (
	// escape is how such programs name a command for a shell: "!rm x", "+!rm x",
	// ":w !rm x", "shell rm x", system("rm x").
	escape = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[:|+;\s'"{(.])(?:!|shell[\s-]+|system[\s(]+['"]?|(?:exec(?:ute|sync|Sync)?|popen|shell_exec|passthru|check_call|check_output|getoutput|run|call|spawn|qx)\s*\(\s*['"])\s*([a-z/][^"')]*)`)
	})
	// lossLine is a line for a client that removes what is on the other side.
	lossLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?mi)^\s*(?:m?rm|rmdir|m?del(?:ete)?|glob\s+rm|purge|changetype:\s*delete)\b|\bmirror\b.*\s--delete|;\s*(?:m?rm|m?del(?:ete)?|rmdir)\b`)
	})
	// command is an option behind which a command for a client stands.
	command = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^--?(?:c|e|x|q|Q|P|ex|eval|execute|cmd|command|commands|query|statement|pager|run|hook)$`)
	})
	// opened is a file that is opened for what comes over the network.
	opened = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:open|gopen|file|create|pipe):/dev/`) })
	// lossCall is a call by which a script in a client does.
	lossCall = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:call|pcall|command)\s*\(\s*['"](?:flush(?:all|db)|del|unlink|shutdown|rename)['"]|\bdelete\s*\(\s*['"]|\bdelete-(?:file|directory)\b|\bdetach\s+delete\b`)
	})
)

// escapes marks loss that a program which acts would bring about by what it is told. It
// makes no verdict milder. loose is set if the table does not read what the program is told.
func (a *assessor) escapes(args []word, loose bool) {
	before := ""
	for _, w := range args {
		a.told(w, before, loose, false)
		before = w.text
	}
	if a.feeding != nil && a.feeding.known {
		a.told(a.feeding.text, "", loose, true)
	}
}

// told judges a text that a program is told: in an argument behind another one, or in what
// it is fed.
func (a *assessor) told(w word, before string, loose, fed bool) {
	text := w.text[:min(len(w.text), maxWord)]
	lines := loose && (fed || strings.ContainsAny(text, " ;") && command().MatchString(before))
	switch {
	case a.losesByText(text, lines, fed), emptiesBuffer(text, before):
		a.lossArgument(w)
		return
	case a.flags.Has(Exfil) && a.opensDevice(text, w):
		a.note(Destroy, 0, "argument.device", "is given raw storage: "+shown(text), w)
		return
	case lines && !fed && a.flags.Has(Opaque):
		a.tellsShell(text, w)
	}
	if !strings.ContainsAny(text, "!(") && !strings.Contains(text, "shell") && !strings.Contains(text, "system") {
		return
	}
	for _, m := range escape().FindAllStringSubmatch(text, 4) {
		a.tellsShell(m[1], w)
	}
}

// losesByText reports whether a text removes something by a call, a line or a request.
func (a *assessor) losesByText(text string, lines, fed bool) bool {
	return strings.ContainsAny(text, "( ") && lossCall().MatchString(text) ||
		lines && lossLine().MatchString(text) || lines && !fed && lossCommand(text) != "" ||
		fed && a.flags.Has(Exfil) && lossRequest().MatchString(text)
}

// emptiesBuffer reports whether an editor is told to delete all lines of a file: +%d, -c '%d'
// (ex(1), vim(1)).
func emptiesBuffer(text, before string) bool {
	order, plus := strings.CutPrefix(text, "+")
	if !plus && before != "-c" && before != "--cmd" {
		return false
	}
	for _, all := range [...]string{"%", "1,$"} {
		if deletes, ok := strings.CutPrefix(order, all); ok {
			verb, _, _ := strings.Cut(strings.TrimSpace(deletes), "|")
			verb = strings.TrimSpace(strings.TrimSuffix(verb, "!"))
			return verb == "d" || verb == "del" || verb == "delete"
		}
	}
	return false
}

// opensDevice reports whether a text has raw storage opened.
func (a *assessor) opensDevice(text string, w word) bool {
	return strings.Contains(text, ":/dev/") && opened().MatchString(text) && a.spend(costPath, w) && a.class(devicePath(text), "", false)&classDevice != 0
}

// tellsShell marks a text that loses something if a shell reads it.
func (a *assessor) tellsShell(text string, w word) {
	quiet := a.quiet()
	if quiet.depth > maxDepth || !a.spend(costStep, w) {
		return
	}
	if quiet.script(text); quiet.effect == Destroy {
		a.note(Destroy, quiet.flags, "escape.loss", "may run "+shown(text), w)
	}
}
