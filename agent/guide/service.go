package guide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// service is a plan that finds out whether one service runs: from the service manager, or
// from the processes where there is none or it does not know the name.
type service string

const unitName = `(?:the\s+)?(?:service\s+)?["'` + "`" + `]?([A-Za-z0-9][A-Za-z0-9@._-]*)["'` + "`" + `]?(?:\s+(?:service|daemon|server))?`

var (
	isRunning  = lazy(`(?i)^is\s+` + unitName + `\s+(?:running|up|active|alive|started|down|dead)\s*\??$`)
	statusOf   = lazy(`(?i)^(?:(?:what\s+is|what's|show(?:\s+me)?|check)\s+)?(?:the\s+)?(?:status|state)\s+of\s+` + unitName + `\s*[?.]?$`)
	changeUnit = lazy(`(?i)^(restart|reload|start|stop)\s+` + unitName + `\s*[.!]?$`)
	unitActive = lazy(`(?m)^\s*Active:\s*(\S+ \([^)]*\)|\S+)(?:\s+since\s+(.*))?$`)
)

// notUnits are words that stand where a service's name could, and mean the machine.
var notUnits = []string{"it", "this", "that", "everything", "anything", "system", "server", "machine", "host", "disk", "network"}

// serviceTask recognises questions about one service, and the wish to change it.
func serviceTask(q string) plan {
	for _, pattern := range []func() *regexp.Regexp{isRunning, statusOf} {
		if m := pattern().FindStringSubmatch(q); m != nil && !slices.Contains(notUnits, strings.ToLower(m[1])) {
			return service(m[1])
		}
	}
	m := changeUnit().FindStringSubmatch(q)
	if m == nil || slices.Contains(notUnits, strings.ToLower(m[2])) {
		return nil
	}
	line := "systemctl " + strings.ToLower(m[1]) + " " + m[2]
	why := capitalise(strings.ToLower(m[1])) + " the service " + m[2] + ", as asked"
	return job{
		step: step{tool: "run_shell", why: why, args: map[string]any{
			"command": line, "risk": "medium", "mutation": true, "privesc": false, "why": why}},
		lead: fmt.Sprintf("I run %s.", code(line)),
		tell: func(o outcome) string { return sayRun(line, o) },
	}
}

func (s service) intro() string { return fmt.Sprintf("I look for the service %s.", code(string(s))) }

func (s service) steps(t turn) []step {
	name := string(s)
	list := []step{observe("systemctl status "+name+" --no-pager -n 0", "see whether "+name+" runs")}
	if o, ok := t.done[list[0].key()]; ok && !o.denied && o.missing() != "" {
		list = append(list, observe("pgrep -l "+name, "look for processes of that name"))
	}
	return list
}

func (s service) report(t turn) string {
	steps := s.steps(t)
	status := t.done[steps[0].key()]
	line, _ := steps[0].args["command"].(string)
	if status.denied {
		return denial(code(line), status)
	}
	if m := unitActive().FindStringSubmatch(status.text); m != nil {
		text := fmt.Sprintf("The service %s is **%s**", code(string(s)), m[1])
		if m[2] != "" {
			text += " since " + oneLine(m[2])
		}
		return text + "."
	}
	if len(steps) < 2 {
		return fmt.Sprintf("The service manager says of %s:\n\n%s", code(string(s)), block(status.text))
	}
	processes := t.done[steps[1].key()]
	why := strings.TrimRight(status.missing(), ".!?")
	switch {
	case processes.denied || processes.missing() != "":
		return problem("systemctl", status) + " " + problem("pgrep -l "+string(s), processes)
	case len(processes.lines()) == 0:
		return fmt.Sprintf("No process is called %s. The service manager cannot tell more: %s.", code(string(s)), why)
	}
	return fmt.Sprintf("%s of that name %s. The service manager cannot tell more: %s.",
		capitalise(count(len(processes.lines()), "process")), runs(len(processes.lines())), why)
}

func runs(n int) string {
	if n == 1 {
		return "runs"
	}
	return "run"
}
