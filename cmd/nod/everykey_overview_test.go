package main

import (
	"regexp"
	"strings"

	"github.com/nod-console/nod/ui/keys"
)

// overviewStory is about this machine and three hosts, which are one. What is marked keeps
// tiles where they are, whatever this machine has to do meanwhile.
func overviewStory(h *hand) {
	w, r := newRemote(h.t)
	h.w = w
	var config string
	for _, name := range []string{"box1", "box2", "box3"} {
		config += strings.Replace(r.section(), "Host box\n", "Host "+name+"\n", 1)
	}
	r.write("config", config)
	h.display = openDisplay(h.t, 120, 40, w.env(), "bash", "--norc", "-i")
	h.typed(w.nod + " local box1 box2 box3")
	h.press("Enter")
	h.see("ready$", "nothing running")
	opens := func() {
		h.t.Helper()
		h.to(keys.Input)
		h.press("F2")
		h.at(keys.Tiles)
	}
	opens()
	h.until("see figures of all four", func(text string) bool {
		return strings.Contains(text, "4 targets") && strings.Count(text, " of ") >= 8
	})
	overviewMotions(h)
	only := func(name string) {
		h.t.Helper()
		h.press("/", "C-u")
		h.typed(name)
		h.press("Enter")
		h.see("only "+name, "› "+name)
	}
	h.each(keys.Tiles, keys.Search, func(press func()) {
		press()
		h.typed("box2")
		h.see("/box2")
		h.press("Enter")
		h.see("only box2", "› ssh:box2")
		h.press("Escape")
		h.seeNo("only box2")
	})
	h.each(keys.Tiles, keys.Help, func(press func()) {
		press()
		h.see("┌ help", "in the overview")
		h.press("Escape")
		h.at(keys.Tiles)
	})
	h.plainly(keys.Tiles, keys.Inbox, "nothing waits for you")
	h.each(keys.Tiles, keys.Suspend, func(press func()) { h.stops(press); h.at(keys.Tiles) })
	h.each(keys.Tiles, keys.Timeline, func(press func()) {
		press()
		h.see("┌ timeline")
		h.press("F2")
		h.at(keys.Tiles)
	})
	h.each(keys.Tiles, keys.Redraw, func(press func()) { h.spoil(); press(); h.seeNo("spoilt") })
	only("local")
	h.each(keys.Tiles, keys.Broadcast, func(press func()) {
		press()
		h.see("run on local>")
		h.typed("echo broad''cast")
		h.press("Enter")
		h.see("││broadcast", "nothing running")
	})
	opens()
	only("local")
	h.each(keys.Tiles, keys.TypeInto, func(press func()) {
		press()
		h.see("type into local>")
		h.typed("echo typed''in")
		h.press("Enter")
		h.see("││typedin", "nothing running")
	})
	onTwo(h, opens)
	opens()
	h.each(keys.Tiles, keys.Propose, func(press func()) {
		only("ssh:box1")
		press()
		h.at(keys.Input)
		h.see("> Propose one command, to be run on ssh:box1")
		h.press("C-u", "C-u", "C-u")
		h.see("> ask for something")
	})
	h.typed("!sleep 1000")
	h.press("Enter")
	h.see("1 running")
	h.each(keys.Tiles, keys.Interrupt, func(press func()) {
		opens()
		h.see("sleep 1000")
		press()
		h.see("nothing running")
		h.at(keys.Tiles)
	})
	only("local")
	h.each(keys.Tiles, keys.Terminal, func(press func()) { press(); h.at(keys.Pane) })
	h.each(keys.Tiles, keys.Back, func(press func()) { opens(); press(); h.press("F12"); h.at(keys.Input) })
	h.press("C-d")
	h.seeNo("nothing running")
	h.typed("exit $?")
	h.press("Enter")
	if status := h.ended(); status != "0" {
		h.t.Errorf("exit status %s", status)
	}
}

// onTwo runs a line on two hosts that are marked: it is asked about once, and is on record
// for each.
func onTwo(h *hand, opens func()) {
	h.t.Helper()
	opens()
	h.press("/")
	h.typed("box")
	h.press("Enter")
	h.see("only box")
	h.press("g", "Space", "Space")
	h.see("2 marked")
	h.press("b")
	h.see("run on 2: ")
	h.typed("touch /tmp/nod-nowhere/both")
	h.press("Enter")
	h.see("APPROVE on 2 targets", "touch /tmp/nod-nowhere/both")
	answer(h.display, "y")
	h.see("2 exited 1", "nothing running")
	record := h.w.must("audit", "show")
	if n := strings.Count(record, "touch /tmp/nod-nowhere/both"); n < 3 {
		h.t.Errorf("it is on record %d times, want the whole and each:\n%s", n, record)
	}
}

// overviewMotions is about the cursor and the marks.
func overviewMotions(h *hand) {
	h.each(keys.Tiles, keys.Mark, func(press func()) {
		press()
		h.see("1 marked")
		h.press("Escape")
		h.seeNo("1 marked")
	})
	h.press("Space")
	h.see("1 marked")
	at := regexp.MustCompile(`›[ *](\S+)`)
	cursor := func(text string) string {
		if m := at.FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return ""
	}
	end := func(key string) string {
		h.t.Helper()
		h.press("g", "G", key)
		h.press("b", "Escape") // what is drawn after that is drawn after the keys before
		h.press("F12")
		return cursor(h.until("see where the cursor is", func(text string) bool {
			return cursor(text) != "" && !strings.Contains(text, "run on ssh") && !strings.Contains(text, "run on local")
		}))
	}
	first, last := end("g"), end("G")
	if first == last {
		h.t.Fatalf("the cursor does not move from %s", first)
	}
	for id, from := range map[keys.ID]string{
		keys.Right: "g", keys.Down: "g", keys.PageDown: "g", keys.Bottom: "g", keys.Left: "G", keys.Up: "G", keys.PageUp: "G", keys.Top: "G",
	} {
		h.each(keys.Tiles, id, func(press func()) {
			before := end(from)
			press()
			h.until("be elsewhere", func(text string) bool {
				now := cursor(text)
				switch id {
				case keys.Bottom:
					return now == last
				case keys.Top:
					return now == first
				}
				return now != "" && now != before
			})
		})
	}
	h.press("Escape")
	h.seeNo("1 marked")
}
