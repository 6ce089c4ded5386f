package main

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/docker/enginetest"
)

// containers is a world with an engine.
func containers(t *testing.T) (*world, *enginetest.Engine) {
	t.Helper()
	engine := enginetest.Docker(t)
	w := newWorld(t)
	w.extra = append(w.extra, "DOCKER_HOST=unix://"+engine.Socket)
	return w, engine
}

// pickOnly opens the picker on one target.
func pickOnly(s *display, name string) {
	s.t.Helper()
	s.press("C-t")
	s.see("targets", "Enter use")
	s.typed(name)
	s.see("> "+name, "docker:"+name) // a key before the row is there is for none
}

// Containers come and go in the picker while it is open, and what becomes of one
// shows there at once.
func TestContainersComeAndGoInThePicker(t *testing.T) {
	t.Parallel()
	for name, size := range oneSize("wide") {
		t.Run(name, func(t *testing.T) {
			w, engine := containers(t)
			first := engine.Container(t, enginetest.Busybox)
			s := w.console(size[0], size[1])
			s.see("nothing running")
			s.press("C-t")
			s.see("docker:"+first, "running")
			second := engine.Container(t, enginetest.Debian)
			s.see("docker:" + second)
			s.typed(second)
			s.until("see it alone", func(text string) bool {
				return strings.Contains(text, "> "+second) && !strings.Contains(text, "docker:"+first) && strings.Contains(text, "running")
			})
			if size[0] >= 80 {
				s.see("nod.test/debian")
			}
			engine.Pause(t, second)
			s.see("paused")
			engine.Do(t, "unpause", second)
			s.see("running")
			engine.Do(t, "stop", "-t", "0", second)
			s.see("exited 137")
			engine.Do(t, "rm", "-f", second)
			s.see("Enter connects to")
			leavePicker(s)
			quit(s)
		})
	}
}

// leavePicker closes the picker.
func leavePicker(s *display) {
	s.t.Helper()
	s.press("C-u")
	s.seeNo("> t-")
	s.press("Escape")
	s.seeNo("┌ targets")
}

// someSizes are the sizes of terminals in which a story is told.
func someSizes() map[string][2]int {
	sizes := map[string][2]int{"wide": {120, 40}, "tiny": {40, 10}}
	if thorough() {
		sizes["narrow"] = [2]int{80, 24}
	}
	return sizes
}

// oneSize is one of someSizes, for a story of which the dialog's own tests have the others.
// The long tests have all.
func oneSize(name string) map[string][2]int {
	sizes := someSizes()
	if thorough() {
		return sizes
	}
	return map[string][2]int{name: sizes[name]}
}

// Health is told where the engine looks after it.
func TestTheHealthOfAContainerIsSeen(t *testing.T) {
	t.Parallel()
	w, engine := containers(t)
	name := engine.Container(t, "--health-cmd", "test ! -e /tmp/ill", "--health-interval", "1s", "--health-retries", "1", enginetest.Busybox)
	s := w.console(80, 24)
	s.see("nothing running")
	pickOnly(s, name)
	s.see("running · healthy")
	engine.Do(t, "exec", name, "touch", "/tmp/ill")
	s.see("running · unhealthy")
	leavePicker(s)
	quit(s)
}

// What becomes of a container that somebody works in is said in its pane, in the
// top line and in the chat, with what to do next; and a pane comes back with it.
func TestTheLifeOfAContainerInItsPane(t *testing.T) {
	alone(t, "a pause that takes long is a lost link, and a container that is stopped while its pane is made anew has none")
	for name, size := range oneSize("wide") {
		t.Run(name, func(t *testing.T) { lifeInThePane(t, size[0], size[1]) })
	}
}

func lifeInThePane(t *testing.T, cols, rows int) {
	w, engine := containers(t)
	tiny := cols < 80
	container := engine.Container(t, enginetest.Debian)
	s := w.console(cols, rows, "docker:"+container)
	s.see("docker:" + container)
	if !tiny {
		s.see("cpu ", " MiB of ", "# ")
	}
	eventually(t, "a pane", func() bool { return strings.Contains(engine.Do(t, "top", container), "attach-session") })
	stands := func(words string) { // wherever a line ends
		s.until("see "+words, func(text string) bool {
			return strings.Contains(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' || r == '│' }), " "), words)
		})
	}
	engine.Pause(t, container)
	stands("the container is paused")
	stands("docker unpause " + container)
	if cols >= 120 {
		s.see("not live")
	}
	engine.Do(t, "unpause", container)
	stands("runs again")
	if !tiny {
		s.see("cpu ")
	}
	if cols >= 120 { // the pane, too, which is made anew where the pause took long
		s.until("see it live", func(text string) bool { return strings.Contains(text, "live ") && !strings.Contains(text, "not live") })
	}
	engine.Do(t, "stop", "-t", "0", container)
	stands("the container does not run")
	stands("docker start " + container)
	engine.Do(t, "start", container)
	if !tiny {
		stands("a fresh one takes its place")
		s.see("cpu ")
		s.press("C-]") // into the terminal
		s.see("typing")
		s.typed("echo $((40+2)) in a new life\n")
		s.see("42 in a new life")
		s.press("C-]")
	}
	engine.Do(t, "rm", "-f", container)
	stands("the container was removed")
	quit(s)
}

// A container that is paused while its pane is being made is said to be paused.
func TestAContainerIsPausedBeforeItsPaneIsThere(t *testing.T) {
	t.Parallel()
	w, engine := containers(t)
	container := engine.Container(t, enginetest.Debian)
	engine.Do(t, "exec", container, "sh", "-ec", `name=$(command -v tmux); mkdir /opt/nod; mv "$name" /opt/nod/; { echo '#!/bin/sh'
		echo 'until [ -e /tmp/go ]; do sleep 0.1; done'; echo 'exec /opt/nod/tmux "$@"'; } >"$name"; chmod +x "$name"`)
	s := w.console(120, 40, "docker:"+container)
	eventually(t, "tmux", func() bool { return strings.Contains(engine.Do(t, "top", container), "/tmux") })
	engine.Pause(t, container)
	s.see("the container is paused", "docker unpause "+container)
	engine.Do(t, "unpause", container)
	s.see("runs again")
	engine.Do(t, "exec", container, "touch", "/tmp/go")
	s.see("# ", "live ")
	quit(s)
}

// The log of a container is a pane for reading, which goes on through restarts
// and says why it stands still.
func TestTheLogOfAContainer(t *testing.T) {
	t.Parallel()
	w, engine := containers(t)
	container := engine.Container(t, enginetest.Busybox, "sh", "-c",
		`echo "life $(cat /proc/sys/kernel/random/boot_id | wc -c)"; printf '\033[31mred\033[0m\n' >&2; until [ -e /tmp/more ]; do sleep 0.05; done; echo and more; exec sleep 1000`)
	s := w.console(120, 40)
	s.see("nothing running")
	pickOnly(s, container)
	s.press("C-o")
	s.see("docker:"+container+" · logs", "life 37", "red", "for reading only", "live ")
	engine.Do(t, "exec", container, "touch", "/tmp/more")
	s.see("and more")
	engine.Do(t, "stop", "-t", "0", container)
	s.see("not live", "the log has ended")
	engine.Do(t, "start", container)
	s.until("see another life", func(text string) bool {
		return strings.Count(text, "life 37") == 2 && strings.Count(text, "and more") == 2
	})
	s.seeNo("not live")
	engine.Do(t, "rm", "-f", container)
	s.see("the container was removed")
	engine.Container(t, enginetest.Busybox)
	other := engine.Container(t, enginetest.Busybox)
	pickOnly(s, other)
	s.press("C-o")
	s.see("docker:" + other + " · logs")
	pickOnly(s, other)
	s.press("C-o")
	s.seeNo("docker:" + other + " · logs")
	quit(s)
}

// Nothing is started in a paused container, and the model is told what to do about
// it; what was asked again afterwards runs.
func TestNothingIsStartedInAPausedContainer(t *testing.T) {
	t.Parallel()
	w, engine := containers(t)
	m := serveModel(t, calls(shell("a", "echo $((6*7)) first", false)), says("It is refused."), calls(shell("b", "echo $((6*8)) second", false)), says("It ran."))
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	container := engine.Container(t, enginetest.Debian)
	s := w.console(120, 40, "docker:"+container)
	s.see("docker:"+container, "root@", "cpu ")
	engine.Pause(t, container)
	s.see("is paused")
	s.typed("do it")
	s.press("Enter")
	s.see("It is refused.")
	asked := m.asked()
	if told := asked[len(asked)-1].result(); !strings.Contains(told, "docker unpause "+container) {
		t.Errorf("the model is told %q", told)
	}
	engine.Do(t, "unpause", container)
	s.see("runs again")
	s.typed("again")
	s.press("Enter")
	s.see("48 second", "It ran.")
	if strings.Contains(s.text(), "42 first") {
		t.Error("what was refused ran all the same")
	}
	quit(s)
}
