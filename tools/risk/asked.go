package risk

import (
	"regexp"
	"strings"
	"sync"
)

// What clients ask their servers for, where the words are a syntax of the client's own.

var (
	secretAttribute = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)passw|secret|principalkey|pwdhistory|unicodepwd|\bsamba(nt|lm)|otptoken`)
	})
	fluxActs = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(import|option|secrets?|token|host|to|wideTo|yieldTo|package)\b\s*[(:"{=a-z]`)
	})
	mongoScript = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.(js|mjs|cjs|mongodb)$`) })
)

// project judges a project, a request or a branch of a forge. Two slashes, or an address,
// name the host as well.
func (a *assessor) project(w word) {
	switch {
	case !w.known():
		a.note(Observe, Exfil, "host.dynamic", "the project's name is put together on the way and can carry data", w)
	case strings.HasPrefix(w.text, "@"), strings.HasPrefix(w.text, "-"):
		a.unread(Mutate, 0, "argument.value", "the value "+shown(w.text)+" is not known to be harmless", w)
	case strings.Contains(w.text, ":"), strings.Count(w.text, "/") > 1:
		a.reach(w)
	}
}

// columns judges what of each thing in a cloud is shown.
func (a *assessor) columns(w word) {
	if !w.known() || !chosenColumns().MatchString(w.text) || secretColumn().MatchString(w.text) {
		a.note(Observe, Secret, "columns.secret", "may show start-up scripts and keys", w)
	}
}

var (
	chosenColumns = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:table|value|csv|get)(?:\[[a-z-]+(?:,[a-z-]+)*\])?\([A-Za-z0-9_.,:\[\] ]+\)$`)
	})
	secretColumn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)metadata|key|secret|token|passw|cert|auth|:\s*$`)
	})
)

// attribute judges a word of a directory's search.
func (a *assessor) attribute(w word) {
	if !w.known() || secretAttribute().MatchString(w.text) {
		a.note(Observe, Secret, "attribute.secret", "may show the hash of a password, or a key", w)
	}
}

// argumentLine judges a text whose words are the arguments of the program that is given it.
func (a *assessor) argumentLine(w, name word) {
	if !w.known() || strings.ContainsAny(w.text, "\"'\n!|><") {
		a.unread(Mutate, Opaque, "argument.line", "the text is not known to only ask", w)
		a.mentions([]word{w})
		return
	}
	words := []word{name}
	for _, field := range strings.Fields(w.text) {
		words = append(words, word{text: field, start: w.start, end: w.end})
	}
	if len(words) > 1 && a.spend(costRun, w) {
		a.run(words)
	}
}

// flux judges a query of InfluxDB 2: what imports, writes or asks another server is not
// known to only read.
func (a *assessor) flux(w word) {
	if !w.known() || fluxActs().MatchString(w.text) {
		a.unread(Mutate, 0, "flux.acts", "the query is not known to only read", w)
	}
}

// mongoDatabase judges the database that MongoDB's shell opens. By the end of its name it
// may be a script.
func (a *assessor) mongoDatabase(w word) {
	if credentials().MatchString(w.text) {
		a.note(Observe, Secret, "dsn.credentials", "a password stands on the line", w)
	}
	switch {
	case !w.known():
		a.note(Observe, Exfil, "host.dynamic", "where the database is gets put together on the way and can carry data", w)
	case mongoScript().MatchString(w.text):
		a.scriptFile(w)
	case strings.ContainsAny(w.text, "/:."):
		a.reachAll(w)
	}
}
