package guide

import (
	"fmt"
	"slices"
	"strings"
)

// job is a plan of one step that the operator asked for in plain words.
type job struct {
	step
	lead string
	tell func(o outcome) string
}

func (j job) intro() string          { return j.lead }
func (j job) steps(t turn) []step    { return []step{j.fitted(t.req)} }
func (j job) report(t turn) string   { return j.tell(t.done[j.key()]) }
func (j job) fitted(r *request) step { return fit(r, j.step) }

// fit leaves out annotations that the tool does not take.
func fit(r *request, s step) step {
	args := map[string]any{}
	for name, v := range s.args {
		if !isAnnotation(name) || r.takes(s.tool, name) {
			args[name] = v
		}
	}
	s.args = args
	return s
}

func isAnnotation(name string) bool {
	return name == "risk" || name == "mutation" || name == "privesc" || name == "why"
}

const word = "(?:`([^`]+)`|\"([^\"]+)\"|'([^']+)'|(\\S+))"

var (
	please = lazy(`(?i)^\s*(?:please|can you|could you|would you|now)[,\s]+`)

	createFile = lazy(`(?is)^(?:create|make|write|add)\s+(?:me\s+)?(?:a|an|the)?\s*(?:new\s+)?(?:empty\s+)?(?:text\s+)?file\s+` +
		`(?:named\s+|called\s+|at\s+)?` + word + `(?:\s+(?:with|containing|that says|saying)[:\s]+(?:the\s+)?(?:(?:content|contents|text|line|words?)\b)?[:\s]*(.*))?$`)
	writeTo   = lazy(`(?is)^(?:write|save|put)\s+(.+?)\s+(?:to|into|in)\s+(?:the\s+|a\s+)?(?:new\s+)?(?:file\s+)?(?:named\s+|called\s+)?` + word + `\s*\.?$`)
	runQuoted = lazy("(?is)^(?:run|execute|type|do)\\s+(?:the\\s+)?(?:command\\s+)?(?:`([^`]+)`|```\\w*\\n([^`]+)```)\\s*\\.?$")
	runPlain  = lazy(`(?is)^(?:(?:run|execute)\s*(?:the\s+command\s+|command\s+)?[:\s]\s*|\$\s+)(.+)$`)
	article   = lazy(`(?i)^(?:a|an|the|some|my|your|all)\s`)
	dotted    = lazy(`\w\.\w`)
	readFile  = lazy(`(?i)^(?:read|cat|open|print|display|show(?:\s+me)?)\s+(?:the\s+)?(?:(?:file|content|contents)\s+)?(?:of\s+)?(?:file\s+)?` + word + `[?.]?$`)
)

// task recognises the plain tasks: creating a file, running a command, reading a file,
// asking for or changing one service.
func task(question string) plan {
	q := strings.TrimSpace(please().ReplaceAllString(question, ""))
	if p := serviceTask(q); p != nil {
		return p
	}
	if m := createFile().FindStringSubmatch(q); m != nil {
		return writeJob(firstOf(m[1:5]), m[5])
	}
	if m := runQuoted().FindStringSubmatch(q); m != nil {
		return runJob(firstOf(m[1:3]))
	}
	if m := runPlain().FindStringSubmatch(q); m != nil && !article().MatchString(m[1]) {
		return runJob(m[1])
	}
	if m := writeTo().FindStringSubmatch(q); m != nil && isPath(firstOf(m[2:6])) {
		return writeJob(firstOf(m[2:6]), m[1])
	}
	if m := readFile().FindStringSubmatch(q); m != nil && isPath(firstOf(m[1:5])) {
		return readJob(firstOf(m[1:5]))
	}
	return nil
}

func firstOf(groups []string) string {
	for _, g := range groups {
		if g != "" {
			return g
		}
	}
	return ""
}

// isPath says whether a word can only be meant as a file's name.
func isPath(s string) bool {
	return strings.ContainsAny(s, "/~") || dotted().MatchString(s)
}

func writeJob(path, content string) plan {
	content = unquote(strings.TrimSpace(content))
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	return job{
		step: step{tool: "write_file", why: "Create the file that was asked for", args: map[string]any{
			"path": path, "content": content, "risk": "medium", "mutation": true, "privesc": false,
			"why": "Create the file that was asked for"}},
		lead: fmt.Sprintf("I write %s into %s.", count(len(content), "byte"), code(path)),
		tell: func(o outcome) string {
			switch {
			case o.denied:
				return denial("writing "+code(path), o) + " Nothing was changed."
			case o.failure != "":
				return fmt.Sprintf("%s was not written: %s.", code(path), o.failure)
			}
			return fmt.Sprintf("%s is written, with %s.", code(path), count(len(content), "byte"))
		},
	}
}

func readJob(path string) plan {
	return job{
		step: step{tool: "read_file", why: "Read the file that was asked for", args: map[string]any{"path": path}},
		lead: fmt.Sprintf("I read %s.", code(path)),
		tell: func(o outcome) string {
			switch {
			case o.denied:
				return denial("reading "+code(path), o)
			case o.failure != "":
				return fmt.Sprintf("%s could not be read: %s.", code(path), o.failure)
			case strings.TrimSpace(o.text) == "":
				return code(path) + " is empty."
			}
			text := fmt.Sprintf("%s says:\n\n%s", code(path), block(o.text))
			for _, n := range o.notices {
				text += "\n\n" + capitalise(oneLine(n)) + "."
			}
			return text
		},
	}
}

func runJob(line string) plan {
	line = strings.TrimSpace(unquote(strings.TrimSpace(line)))
	if line == "" {
		return speech("Which command shall I run? Write it in back quotes: run `uname -a`.")
	}
	risk, mutation, privesc := claim(line)
	return job{
		step: step{tool: "run_shell", why: "Run the command that was asked for", args: map[string]any{
			"command": line, "risk": risk, "mutation": mutation, "privesc": privesc,
			"why": "Run the command that was asked for"}},
		lead: fmt.Sprintf("I run %s.", code(line)),
		tell: func(o outcome) string { return sayRun(line, o) },
	}
}

func sayRun(line string, o outcome) string {
	switch {
	case o.denied:
		return denial(code(line), o)
	case o.failure != "":
		return fmt.Sprintf("%s did not run to its end: %s.", code(line), o.failure)
	}
	s := fmt.Sprintf("%s exited with %d", code(line), o.exit)
	out := strings.TrimRight(o.text+"\n"+o.stderr, "\n")
	if strings.TrimSpace(out) == "" {
		s += " and wrote nothing."
	} else {
		s += ":\n\n" + block(out)
	}
	for _, n := range o.notices {
		s += "\n\n" + capitalise(oneLine(n)) + "."
	}
	return s
}

// plainLine is a command of plain words: nothing that a shell would expand or chain.
var plainLine = lazy(`^[A-Za-z0-9_./:=@%+, -]+$`)

// claim says what a command is likely to do, and never that an unknown one is harmless.
func claim(line string) (risk string, mutation, privesc bool) {
	words := strings.Fields(line)
	for _, w := range words {
		privesc = privesc || slices.Contains(known().words.Elevates, w)
	}
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()", r) }) {
		if i := strings.LastIndexByte(w, '/'); slices.Contains(known().words.Destroys, w[i+1:]) {
			return "high", true, privesc
		}
	}
	reads := slices.Contains(known().words.Reads, words[0]) || len(words) == 1 && slices.Contains(known().words.Alone, words[0])
	if !privesc && reads && plainLine().MatchString(line) {
		return "low", false, false
	}
	if privesc {
		return "high", true, true
	}
	return "medium", true, false
}

// unquote takes one pair of quotes, or a code fence, off.
func unquote(s string) string {
	if body, ok := strings.CutPrefix(s, "```"); ok {
		if body, ok = strings.CutSuffix(strings.TrimRight(body, " \t\n"), "```"); ok {
			if _, rest, found := strings.Cut(body, "\n"); found {
				return rest
			}
			return body
		}
	}
	for _, q := range []string{"`", `"`, "'"} {
		if len(s) >= 2 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) && strings.Count(s, q) == 2 {
			return s[1 : len(s)-1]
		}
	}
	return s
}
