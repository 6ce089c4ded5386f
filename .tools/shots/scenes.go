package main

// scene is one picture: a world, what the model says in it, and what the operator does.
type scene struct {
	name       string // of the file
	cols, rows int
	light      bool              // the terminal has a light ground
	config     string            // of nod, beside the tmux server
	files      map[string]string // in the home
	replies    []reply           // nil: the built-in guide answers
	play       func(*stage) error
}

// steps plays one after the other, up to the first that fails.
func steps(all ...func() error) error {
	for _, step := range all {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func scenes() []scene {
	return []scene{start(), approval(), panes(), palette(), light()}
}

// shop is a small machine.
func shop() map[string]string {
	return map[string]string{
		"releases/2024-11-02/app": "old\n", "releases/2024-12-18/app": "old\n", "releases/2025-05-11/app": "new\n",
		"log/app.log": "12:00:01 GET /cart 200 12ms\n12:00:01 GET /item/7 200 9ms\n12:00:02 POST /order 201 48ms\n" +
			"12:00:03 GET /cart 200 11ms\n12:00:04 GET /item/9 404 3ms\n",
		"log/worker.log": "12:00:00 queue: 4 waiting\n12:00:02 sent receipt 1181\n12:00:03 sent receipt 1182\n12:00:04 queue: 2 waiting\n",
		"etc/app.toml":   "listen = \"127.0.0.1:8080\"\nworkers = 4\nlog = \"/var/log/app\"\n",
	}
}

// look is a command that only looks, and change one that does not.
func look(command, why string) call {
	return call{"run_shell", map[string]any{"command": command, "risk": "low", "mutation": false, "privesc": false, "why": why}}
}

func change(command, why string) call {
	return call{"run_shell", map[string]any{"command": command, "risk": "medium", "mutation": true, "privesc": false, "why": why}}
}

// follow is a look that goes on in a pane of its own.
func follow(pane, command, why string) call {
	c := look(command, why)
	c.args["pane"], c.args["wait"] = pane, false
	return c
}

func newPane(name string) call {
	return call{"tmux-create-pane", map[string]any{"pane": name, "risk": "low", "mutation": false, "privesc": false, "why": "room for " + name}}
}

func start() scene {
	return scene{
		name: "start", cols: 100, rows: 26, files: shop(),
		play: func(st *stage) error { return st.see("No model is configured", "deploy@web-1:~$") },
	}
}

func approval() scene {
	return scene{
		name: "approval", cols: 110, rows: 30, files: shop(), config: "[target.local]\ntrust = \"prod\"\n",
		replies: []reply{
			{calls: []call{look("ls releases", "see which releases there are")}},
			{calls: []call{change("rm -rf releases/2024-*", "remove the releases of last year")}},
		},
		play: func(st *stage) error {
			return steps(
				func() error { return st.see("deploy@web-1:~$", "large") },
				func() error { return st.enter("remove the releases of 2024") },
				func() error { return st.see("APPROVE", "y approve", "2025-05-11") },
			)
		},
	}
}

func panes() scene {
	return scene{
		name: "panes", cols: 130, rows: 35, files: shop(),
		replies: []reply{
			{calls: []call{newPane("app"), newPane("worker")}},
			{calls: []call{
				follow("app", "tail -n 5 -f log/app.log", "watch the requests"),
				follow("worker", "tail -n 5 -f log/worker.log", "watch the queue"),
				look("cat etc/app.toml", "see how it is set up"),
			}},
			{text: "The app answers on `127.0.0.1:8080` with **4 workers**.\n\n- *app*: requests, one of them a `404` for item 9\n- *worker*: receipts go out, 2 are waiting\n\nBoth logs go on in their panes."},
		},
		play: func(st *stage) error {
			return steps(
				func() error { return st.see("deploy@web-1:~$", "large") },
				func() error { return st.enter("watch the logs of the app and its worker") },
				func() error { return st.see("Both logs go on", "queue: 2 waiting", "/item/9", "workers = 4") },
			)
		},
	}
}

func palette() scene {
	return scene{
		name: "palette", cols: 100, rows: 26, files: shop(),
		play: func(st *stage) error {
			return steps(
				func() error { return st.see("deploy@web-1:~$") },
				func() error { return st.press("\x10") },
				func() error { return st.see("commands") },
				func() error { return st.press("t", "e", "r", "m") },
				func() error { return st.see("> term") },
			)
		},
	}
}

func light() scene {
	return scene{
		name: "light", cols: 110, rows: 30, light: true, files: shop(),
		replies: []reply{
			{calls: []call{look("wc -l log/app.log log/worker.log", "count the lines")}},
			{text: "There are **9 lines** in two logs:\n\n- `app.log` has 5\n- `worker.log` has 4"},
		},
		play: func(st *stage) error {
			return steps(
				func() error { return st.see("deploy@web-1:~$", "large") },
				func() error { return st.enter("how many lines are in the logs?") },
				func() error { return st.see("worker.log has 4", "9 total") },
			)
		},
	}
}
