package guide

import (
	"fmt"
	"strings"
	"sync"
)

// understand turns a question into a plan: a task that is asked for in plain words, help,
// topics to look at, or the admission that the question is beyond the guide.
func understand(question string) plan {
	if p := task(question); p != nil {
		return p
	}
	words := wordsOf(question)
	if isHelp(words) {
		return speech(help("I can look at this machine and sum up what I find. Ask for instance:"))
	}
	if topics := known().match(question); len(topics) > 0 {
		return survey{topics: topics, path: pathIn(question), host: hostIn(question), glance: score(words, known().words.Glances) > 0}
	}
	if isGreeting(words) {
		return speech(help("Hello. I can look at this machine and sum up what I find. Ask for instance:"))
	}
	return beyond()
}

// beyond is the plan for what the guide does not understand.
var beyond = sync.OnceValue(func() plan {
	return speech(help("I do not understand that: I only know some topics by their words. I can look at these:"))
})

func understands(question string) bool { return understand(question) != beyond() }

func isHelp(words []string) bool {
	for _, phrase := range []string{"what can you do", "what do you do", "help", "how can you help", "what do you know", "who are you", "what are you"} {
		if contains(words, wordsOf(phrase)) {
			return true
		}
	}
	return len(words) == 0
}

func isGreeting(words []string) bool {
	return len(words) <= 4 && contains([]string{"hi", "hello", "hey", "thanks", "thank", "good"}, words[:1])
}

// help lists the topics with their examples.
func help(lead string) string {
	var b strings.Builder
	b.WriteString(lead + "\n\n")
	for _, t := range known().Topics {
		fmt.Fprintf(&b, "- %s: “%s”\n", t.Title, t.Example)
	}
	b.WriteString("\nI can also do a few plain tasks: “read /etc/hosts”, “run `uname -a`”, " +
		"“is sshd running?”, “create a file notes.txt with hello”, “restart nginx”. Whatever could change something waits for your approval.")
	return b.String()
}

// speech is a plan that needs no steps.
type speech string

func (s speech) intro() string      { return "" }
func (s speech) steps(turn) []step  { return nil }
func (s speech) report(turn) string { return string(s) }

// survey is a plan that looks at topics.
type survey struct {
	topics []*topic
	path   string // a folder that the question names, or ""
	host   string // a host that the question names, or ""
	glance bool   // what fills a disk matters only if it is getting full
}

func (s survey) intro() string {
	var parts []string
	for _, t := range s.topics {
		parts = append(parts, t.Intro)
	}
	return strings.Join(parts, " ")
}

func (s survey) steps(t turn) []step {
	var all []step
	for _, tp := range s.topics {
		f := s.found(tp, t)
		all = append(all, f.steps()...)
		if more := followUps[tp.Name]; more != nil {
			all = append(all, more(f)...)
		}
	}
	return all
}

func (s survey) report(t turn) string {
	var parts, problems []string
	told := map[string]bool{}
	for _, tp := range s.topics {
		f := s.found(tp, t)
		text := reports[tp.Name](f)
		if text != "" && len(s.topics) > 1 {
			text = "**" + capitalise(tp.Title) + ".** " + text
		}
		if text != "" {
			parts = append(parts, text)
		}
		for _, p := range f.problems() {
			if !told[p] {
				told[p] = true
				problems = append(problems, p)
			}
		}
	}
	if len(parts) == 0 && len(problems) == 0 {
		parts = append(parts, "I found nothing to report.")
	}
	if len(problems) > 0 {
		parts = append(parts, strings.Join(problems, " "))
	}
	return strings.Join(parts, "\n\n")
}

func (s survey) found(tp *topic, t turn) found { return found{survey: s, topic: tp, turn: t} }

// found is what is known about one topic.
type found struct {
	survey
	*topic
	turn
}

func (f found) step(c *command) step { return observe(c.Run, c.Why) }

// steps are the topic's commands, and of the spare ones those whose turn has come.
func (f found) steps() []step {
	var list []step
	for i := range f.Commands {
		c := &f.Commands[i]
		if !c.Spare {
			list = append(list, f.chain(c)...)
		}
	}
	return list
}

func (f found) chain(c *command) []step {
	list := []step{f.step(c)}
	o, ok := f.done[list[0].key()]
	if ok && c.Instead != "" && !o.denied && o.missing() != "" {
		list = append(list, f.chain(f.command(c.Instead))...)
	}
	return list
}

// get returns a command's result if there is something to read in it.
func (f found) get(id string) (outcome, bool) {
	o, ok := f.done[f.step(f.command(id)).key()]
	return o, ok && !o.denied && o.missing() == ""
}

// problems says honestly what could not be looked at. A command whose replacement worked
// is no problem, and neither is an extra one, unless it was denied.
func (f found) problems() []string {
	var list []string
	for i := range f.Commands {
		c := &f.Commands[i]
		o, ok := f.done[f.step(c).key()]
		why := o.missing()
		if !ok || why == "" && !o.denied || c.Extra && !o.denied {
			continue
		}
		if c.Instead != "" {
			if _, better := f.get(c.Instead); better {
				continue
			}
		}
		list = append(list, problem(c.Run, o))
	}
	return list
}

func problem(line string, o outcome) string {
	switch {
	case o.denied:
		return denial(code(line), o)
	case o.failure != "":
		return fmt.Sprintf("%s could not be run: %s.", code(line), o.failure)
	}
	program, _, _ := strings.Cut(line, " ")
	return fmt.Sprintf("%s cannot say anything here: %s.", code(program), strings.TrimRight(o.missing(), ".!?"))
}

// denial says who denied what, with the reason if there is one.
func denial(what string, o outcome) string {
	reason := ""
	if _, after, ok := strings.Cut(o.failure, ":"); ok && strings.TrimSpace(after) != "" {
		reason = " (" + strings.TrimSpace(after) + ")"
	}
	if strings.Contains(strings.ToLower(o.failure), "operator") || strings.HasPrefix(strings.ToLower(o.failure), "denied") {
		return fmt.Sprintf("You denied %s%s, so I did not do it.", what, reason)
	}
	return fmt.Sprintf("%s was not allowed: %s.", what, o.failure)
}

// followUps are steps that a topic needs once it knows more.
var followUps = map[string]func(found) []step{
	"disk":         diskSteps,
	"files":        fileSteps,
	"certificates": readCertificates,
}

// reports turn results into sentences, by topic.
var reports = map[string]func(found) string{
	"disk":         reportDisk,
	"files":        reportFiles,
	"load":         reportLoad,
	"memory":       reportMemory,
	"listeners":    reportListeners,
	"services":     reportServices,
	"errors":       reportErrors,
	"logins":       reportLogins,
	"certificates": reportCertificates,
	"updates":      reportUpdates,
	"containers":   reportContainers,
	"system":       reportSystem,
	"processes":    reportProcesses,
	"network":      reportNetwork,
}

var (
	// plainPath is an absolute path that needs no quotes in any shell.
	plainPath = lazy(`(?:^|\s)(/[A-Za-z0-9._/+-]+)`)
	plainHost = lazy(`(?i)\b((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})\b`)
)

func pathIn(question string) string {
	if m := plainPath().FindStringSubmatch(question); m != nil {
		return strings.TrimRight(m[1], ".")
	}
	return ""
}

func hostIn(question string) string {
	if m := plainHost().FindStringSubmatch(question); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}
