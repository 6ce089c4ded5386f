package main

// realScenes are those that are photographed in real terminals: each waits only for
// what stands there at every size.
func realScenes() []scene {
	return []scene{judged(), read(), found("palette", "\x10", "commands"), found("help", "\x1bOP", "help"),
		found("overview", "\x1bOQ", "local"), found("timeline", "\x1bOR", "timeline")}
}

// at is the scene at another size and ground, with files of its own.
func (s scene) at(sz size, light bool) scene {
	s.cols, s.rows, s.light = sz.cols, sz.rows, light
	files := map[string]string{}
	for name, text := range s.files {
		files[name] = text
	}
	s.files = files
	return s
}

// judged is a proposal on prod.
func judged() scene {
	s := approval()
	s.play = func(st *stage) error {
		return steps(
			func() error { return st.see("large") },
			func() error { return st.enter("remove the releases of 2024") },
			func() error { return st.see("approve") },
		)
	}
	return s
}

// read is an answer with all that a text can have.
func read() scene {
	return scene{
		name: "answer", files: shop(),
		replies: []reply{
			{calls: []call{look("cat etc/app.toml", "see how it is set up")}},
			{text: "## How it is set up\n\nThe app listens on `127.0.0.1:8080` and has **4 workers**:\n\n" +
				"| key | value |\n|---|---|\n| listen | 127.0.0.1:8080 |\n| workers | 4 |\n\n" +
				"```bash\n# count the requests\nfor f in log/*.log; do\n  grep -c \"200\" \"$f\" || true\ndone\n```\n\n" +
				"1. Its log is at *log/app.log*.\n2. 漢字 and é and 👍 keep their cells.\n\nThat is all: <https://example.com/app>."},
		},
		play: func(st *stage) error {
			return steps(
				func() error { return st.see("large") },
				func() error { return st.enter("how is the app set up?") },
				func() error { return st.see("That is all") },
			)
		},
	}
}

// found is what a key opens, after a command has run.
func found(name, key, shown string) scene {
	return scene{
		name: name, files: shop(),
		replies: []reply{
			{calls: []call{look("wc -l log/app.log log/worker.log", "count the lines")}},
			{text: "There are **9 lines**."},
		},
		play: func(st *stage) error {
			return steps(
				func() error { return st.see("large") },
				func() error { return st.enter("how many lines are in the logs?") },
				func() error { return st.see("9 lines") },
				func() error { return st.press(key) },
				func() error { return st.see(shown) },
			)
		},
	}
}
