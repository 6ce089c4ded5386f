package risk

import (
	"reflect"
	"strings"
	"testing"
)

func TestKeysAtAPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		keys   Keystrokes
		effect Effect
		flags  Flags
		auto   bool
	}{
		"a plain command":             {Keystrokes{Literal: "df -h", Enter: true}, Observe, 0, true},
		"typed, not sent":             {Keystrokes{Literal: "rm -rf x"}, Destroy, 0, false},
		"the rest of a command":       {Keystrokes{Pending: "rm -rf ", Literal: "x", Enter: true}, Destroy, 0, false},
		"enter sends what stands":     {Keystrokes{Pending: "rm -rf x", Enter: true}, Destroy, 0, false},
		"enter as a key":              {Keystrokes{Pending: "rm -rf x", Keys: []string{"Enter"}}, Destroy, 0, false},
		"control-m is enter":          {Keystrokes{Pending: "rm -rf x", Keys: []string{"C-m"}}, Destroy, 0, false},
		"an empty line":               {Keystrokes{Enter: true}, Observe, 0, true},
		"control-c":                   {Keystrokes{Keys: []string{"C-c"}}, Observe, 0, true},
		"control-c drops the line":    {Keystrokes{Pending: "rm -rf x", Keys: []string{"C-c"}, Enter: true}, Observe, 0, true},
		"an arrow":                    {Keystrokes{Keys: []string{"Up"}}, Observe, 0, true},
		"an earlier command":          {Keystrokes{Keys: []string{"Up"}, Enter: true}, Mutate, Opaque, false},
		"letters as keys":             {Keystrokes{Keys: []string{"r", "m", "Space", "x", "Enter"}}, Destroy, 0, false},
		"letters in the middle":       {Keystrokes{Pending: "s", Keys: []string{"Home", "l", "Enter"}}, Mutate, Opaque, false},
		"completion":                  {Keystrokes{Literal: "ls\t"}, Mutate, Opaque, false},
		"completion as a key":         {Keystrokes{Literal: "ls ", Keys: []string{"Tab"}, Enter: true}, Mutate, Opaque, false},
		"end of input":                {Keystrokes{Keys: []string{"C-d"}}, Mutate, Opaque, false},
		"two lines":                   {Keystrokes{Literal: "ls\nrm x\n"}, Destroy, 0, false},
		"an escape sequence":          {Keystrokes{Literal: "ls\x1b[A", Enter: true}, Mutate, Opaque, false},
		"a carriage return":           {Keystrokes{Literal: "ls\rrm x\r"}, Mutate, Opaque, false},
		"an open quote is continued":  {Keystrokes{Literal: "echo '", Enter: true}, Mutate, Opaque, false},
		"what is pending is not safe": {Keystrokes{Pending: "sudo ", Literal: "ls", Enter: true}, Mutate, Privesc | Opaque, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.keys.AtPrompt = true
			v := Keys(c.keys)
			if v.Effect != c.effect || !v.Flags.Has(c.flags) || v.Auto != c.auto {
				t.Errorf("got %v %v auto=%v: %v", v.Effect, v.Flags, v.Auto, v.Findings)
			}
		})
	}
}

func TestKeysIntoAProgram(t *testing.T) {
	for name, c := range map[string]struct {
		keys   Keystrokes
		effect Effect
		auto   bool
	}{
		"navigation":            {Keystrokes{Keys: []string{"Up", "PageDown", "Home"}}, Observe, true},
		"interrupt":             {Keystrokes{Keys: []string{"C-c"}, Tracked: true}, Observe, true},
		"interrupt by hand":     {Keystrokes{Keys: []string{"C-c"}}, Mutate, false},
		"nothing":               {Keystrokes{}, Observe, true},
		"a letter":              {Keystrokes{Keys: []string{"q"}}, Mutate, false},
		"enter":                 {Keystrokes{Enter: true}, Mutate, false},
		"an answer":             {Keystrokes{Literal: "y", Enter: true}, Mutate, false},
		"a harmless command":    {Keystrokes{Literal: "ls", Enter: true}, Mutate, false},
		"a shell inside":        {Keystrokes{Literal: "rm -rf x", Enter: true}, Destroy, false},
		"a database's client":   {Keystrokes{Literal: "drop table x;", Enter: true}, Destroy, false},
		"end of input":          {Keystrokes{Keys: []string{"C-d"}}, Mutate, false},
		"navigation, then more": {Keystrokes{Keys: []string{"Up", "Enter"}}, Mutate, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := Keys(c.keys)
			if v.Effect != c.effect || v.Auto != c.auto {
				t.Errorf("got %v auto=%v: %v", v.Effect, v.Auto, v.Findings)
			}
		})
	}
}

// What is typed into a program that is not known is told once, the worst first.
func TestTextIntoAProgramSaysEachThingOnce(t *testing.T) {
	for text, want := range map[string]string{
		"y":                                      "keys.program",
		"go on with it":                          "keys.unread",
		"rm -rf /srv/x":                          "rm.recursive keys.unread",
		"sudo rm -rf /srv/x; reboot":             "rm.recursive sudo keys.unread",
		"drop table users;":                      "sql.destroys keys.unread",
		"delete from users;":                     "sql.destroys keys.unread",
		"os.remove('/srv/x')":                    "argument.loss keys.unread",
		"import shutil; shutil.rmtree('/srv/x')": "argument.loss keys.unread",
		"dd if=/dev/zero of=/dev/sda":            "write.device keys.unread",
		"cat /etc/shadow":                        "path.secret keys.unread",
		"x\x1b[2J":                               "text.control",
		strings.Repeat("x", maxText+1):           "text.size",
	} {
		var got []string
		for _, f := range Keys(Keystrokes{Literal: text, Enter: true}).Findings {
			got = append(got, f.Rule)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.40q: %q, not %q", text, got, want)
		}
	}
}

func TestShellKillers(t *testing.T) {
	for _, c := range []struct {
		script  string
		dialect Dialect
		want    string // rule, or "" for none
		line    string
	}{
		{"set -e", Bash, "shell.errexit", "line 1"},
		{"ls\nexit", Bash, "shell.exit", "line 2"},
		{"set -euo pipefail\nls", Bash, "shell.errexit", "line 1"},
		{"set -o errexit", Bash, "shell.errexit", "line 1"},
		{"set -uo errexit", Bash, "shell.errexit", "line 1"},
		{"setopt errexit", Zsh, "shell.errexit", "line 1"},
		{"setopt ERR_EXIT", Zsh, "shell.errexit", "line 1"},
		{"true; exit", Bash, "shell.exit", "line 1"},
		{"true && exit 3", Bash, "shell.exit", "line 1"},
		{"if true; then exit; fi", Bash, "shell.exit", "line 1"},
		{"{ exit; }", Bash, "shell.exit", "line 1"},
		{"e''xit", Bash, "shell.exit", "line 1"},
		{"\\exit", Bash, "shell.exit", "line 1"},
		{"builtin exit", Bash, "shell.exit", "line 1"},
		{"logout", Bash, "shell.exit", "line 1"},
		{"exec top", Bash, "shell.exec", "line 1"},
		{"exec > log", Bash, "shell.exec", "line 1"},
		{"eval 'exit 1'", Bash, "shell.exit", "line 1"},
		{"f() { exit 1; }\nf", Bash, "shell.function", "line 2"},
		{"kill -9 $$", Bash, "shell.kill", "line 1"},
		{"true | exit", Zsh, "shell.exit", "line 1"},
		{"begin; exit; end", Fish, "shell.exit", "line 1"},
		{"if true\nexit\nend", Fish, "shell.exit", "line 2"},
		{"true && logout", Zsh, "shell.exit", "line 1"},
		{"set -o err_exit", Zsh, "shell.errexit", "line 1"},
		{"shopt -so errexit", Bash, "shell.errexit", "line 1"},
		{"shopt -s -o errexit", Bash, "shell.errexit", "line 1"},
		{"set -t", Bash, "shell.onecmd", "line 1"},
		{"command -p exec sh", Bash, "shell.exec", "line 1"},
		{"builtin -- exit", Bash, "shell.exit", "line 1"},
		{"nocorrect exit", Zsh, "shell.exit", "line 1"},
		{"exec <in", Bash, "shell.exec", "line 1"},
		{"exec 2>err", Bash, "shell.exec", "line 1"},
		{"exec &>log", Bash, "shell.exec", "line 1"},
		{"ls\ntrap 'exit 1' INT", Bash, "shell.exit", "line 2"},
		{"trap \"set -e\" DEBUG EXIT", Bash, "shell.errexit", "line 1"},
		{"kill -9 $BASHPID", Bash, "shell.kill", "line 1"},
		{"kill $fish_pid", Fish, "shell.kill", "line 1"},
		{"suspend", Bash, "shell.stop", "line 1"},
		{"while read x; do exit; done <f", Bash, "shell.exit", "line 1"},
		{"case x in x) exit;; esac", Bash, "shell.exit", "line 1"},
		{"exit", Fish, "shell.exit", "line 1"},
		{"exec fish", Fish, "shell.exec", "line 1"},
		{"if true\necho exited\nexit\nend", Fish, "shell.exit", "line 3"},
		{"exec", Bash, "", ""},
		{"exec 3>log 4<in {fd}>&1", Bash, "", ""},
		{"exec 3>&-", Bash, "", ""},
		{"command -v exit", Bash, "", ""},
		{"trap 'exit 1' EXIT", Bash, "", ""},
		{"trap - INT", Bash, "", ""},
		{"shopt -s extglob", Bash, "", ""},
		{"shopt -uo errexit", Bash, "", ""},
		{"set -o pipefail", Bash, "", ""},
		{"set -u", Bash, "", ""},
		{"setopt noerrexit", Zsh, "", ""},
		{"if true\nbash -lc 'set -e; exit'\nend", Fish, "", ""},
		{"if true\necho \"a; exit\"\nend", Fish, "", ""},
		{"bash -lc 'set -e\ntrue; exit'", Zsh, "", ""},
		{"bash <<'X'\nset -e\nexit\nX", Bash, "", ""},
		{"env bash -c 'exit 3'", Bash, "", ""},
		{"bash -lc 'set -e; ls'", Bash, "", ""},
		{"(set -e; exit)", Bash, "", ""},
		{"x=$(exit 3)", Bash, "", ""},
		{"true | exit", Bash, "", ""},
		{"exit &", Bash, "", ""},
		{"echo exit", Bash, "", ""},
		{"echo 'set -e'", Bash, "", ""},
		{"cat <<X\nexit\nX", Bash, "", ""},
		{"# exit", Bash, "", ""},
		{"set -- -e", Bash, "", ""},
		{"set +e", Bash, "", ""},
		{"f() { exit 1; }", Bash, "", ""},
		{"ssh web-1 exit", Bash, "", ""},
		{"exit_code=1", Bash, "", ""},
	} {
		t.Run(c.script, func(t *testing.T) {
			found := ShellKillers(c.script, c.dialect)
			switch {
			case c.want == "" && len(found) > 0:
				t.Errorf("found %v", found)
			case c.want != "" && (len(found) == 0 || found[0].Rule != c.want || !strings.HasPrefix(found[0].Why, c.line)):
				t.Errorf("found %v, want %s on %s", found, c.want, c.line)
			}
		})
	}
}

func TestManage(t *testing.T) {
	for command, want := range map[string]Verdict{
		"create-session build":    {Effect: Observe, Level: Low, Auto: true, Plain: true},
		"create-pane main worker": {Effect: Observe, Level: Low, Auto: true, Plain: true},
		"kill-session build":      {Effect: Mutate, Level: Medium, Mutation: true},
		"kill-pane main worker":   {Effect: Mutate, Level: Medium, Mutation: true},
		"kill-server":             {Effect: Destroy, Level: High, Mutation: true, Flags: Opaque},
		"create-sessions":         {Effect: Destroy, Level: High, Mutation: true, Flags: Opaque},
		"":                        {Effect: Destroy, Level: High, Mutation: true, Flags: Opaque},
	} {
		got := Manage(command)
		checkVerdict(t, got, len(command))
		if len(got.Findings) != 1 || got.Findings[0].Why == "" {
			t.Errorf("%q: %+v", command, got.Findings)
		}
		got.Findings = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", command, got, want)
		}
	}
}

func TestArgvKnowsNoShell(t *testing.T) {
	for _, c := range []struct {
		argv   []string
		effect Effect
		flags  Flags
		auto   bool
	}{
		{[]string{"ls", "-la"}, Observe, 0, true},
		{[]string{"ls", "; rm -rf x"}, Observe, 0, true},
		{[]string{"echo", "$(rm x)", "!!", "*"}, Observe, 0, true},
		{[]string{"cat", "/etc/shadow"}, Observe, Secret, false},
		{[]string{"cat", "/etc/sh*"}, Observe, Secret, false}, // some programs expand patterns themselves
		{[]string{"sh", "-c", "rm -rf x"}, Destroy, 0, false},
		{[]string{"rm", "-rf", "x"}, Destroy, 0, false},
		{[]string{"ls -la"}, Mutate, Opaque, false},
		{[]string{""}, Mutate, 0, false},
		{[]string{"ls", "a\x00b"}, Mutate, Opaque, false},
		{nil, Mutate, Opaque, false},
	} {
		v := Argv(c.argv)
		if v.Effect != c.effect || !v.Flags.Has(c.flags) || v.Auto != c.auto {
			t.Errorf("%q: got %v %v auto=%v: %v", c.argv, v.Effect, v.Flags, v.Auto, v.Findings)
		}
	}
}

func TestFiles(t *testing.T) {
	for path, secret := range map[string]bool{
		"/etc/hosts": false, "/var/log/syslog": false, "main.go": false, "/srv/app/config.yaml": false,
		"/etc/shadow": true, "/home/x/.ssh/id_rsa": true, ".env": true, "/srv/app/.env.local": true, "a/b/server.PEM": true,
		"/etc/../etc/shadow": true, "/proc/self/environ": true, "/root/.aws/credentials": true, "/dev/sda": true,
	} {
		if v := ReadFile(path); v.Auto == secret || v.Flags.Has(Secret) != secret {
			t.Errorf("reading %s: %+v", path, v)
		}
	}
	for path, flags := range map[string]Flags{
		"/srv/app/x": 0, "/etc/ssh/sshd_config": Lockout, "/root/.ssh/authorized_keys": Lockout | Privesc,
		"/etc/sudoers.d/x": Lockout | Privesc, "/etc/cron.d/x": Privesc, "/home/x/.bashrc": Opaque, "/srv/app/.env": Secret,
		"/usr/local/bin/ls": Opaque, "/etc/passwd": Lockout,
	} {
		v := WriteFile(path)
		if v.Auto || !v.Mutation || !v.Flags.Has(flags) || flags == 0 && v.Flags != 0 {
			t.Errorf("writing %s: %+v", path, v)
		}
	}
	for _, path := range []string{"/dev/sda", "/var/log/syslog", "/proc/sysrq-trigger"} {
		if v := WriteFile(path); v.Effect != Destroy {
			t.Errorf("writing %s: %+v", path, v)
		}
	}
}

// TestDialects names texts that one shell reads differently from another.
func TestDialects(t *testing.T) {
	for _, c := range []struct {
		text    string
		dialect Dialect
		auto    bool
	}{
		{"ls # rm x", Bash, true},
		{"ls # rm x", Zsh, false},
		{"ls *(e:id:)", Zsh, false},
		{"printf %d 'path[$(touch x)1]'", Bash, true},
		{"printf %d 'path[$(touch x)1]'", Zsh, false},
		{"bash -n f; printf %d 'path[$(touch x)1]'", Zsh, false}, // another shell read f, not this
		{"ls -la", Fish, true},
		{"df -h | head; uptime", Fish, true},
		{"df -h && uptime", Fish, true},
		{"ls (touch x)", Fish, false},
		{`echo 'a\'; touch x; echo 'b'`, Fish, false},
		{`echo $'a\'; touch x; echo 'b'`, POSIX, false},
		{"[[ a > b ]]", POSIX, false},
		{"((touch x))", POSIX, false},
		{"ls &> x", POSIX, false},
		{"[ -f x ] && cat x", POSIX, true},
		{"for i in a b; do ls $i; done", POSIX, true},
		{"for i in a b; do ls $i; done", Zsh, true},
		{"< f", Zsh, false},
		{"a=b ls", Fish, false},
	} {
		if v := Command(c.text, c.dialect); v.Auto != c.auto {
			t.Errorf("%v: %q auto=%v: %v", c.dialect, c.text, v.Auto, v.Findings)
		}
	}
	for name, want := range map[string]Dialect{"bash": Bash, "/bin/sh": POSIX, "-zsh": Zsh, "dash": POSIX, "busybox": POSIX, "/usr/bin/fish": Fish} {
		if d, err := ParseDialect(name); err != nil || d != want {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	if _, err := ParseDialect("csh"); err == nil {
		t.Error("csh is not read")
	}
}

// TestDataFiles: every program has an effect, and no option is out of place.
func TestDataFiles(t *testing.T) {
	table, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := loadPaths(pathList); err != nil {
		t.Fatal(err)
	}
	count := 0
	var walk func(s *spec)
	walk = func(s *spec) {
		count++
		if s.effect == Unassessed {
			t.Errorf("%s has no effect", s.name)
		}
		if s.fallback != "" && s.subs[s.fallback] == nil {
			t.Errorf("%s falls back to the unknown %s", s.name, s.fallback)
		}
		for _, sub := range s.subs {
			walk(sub)
		}
	}
	for name := range table.stanzas {
		s, err := table.parse(name)
		if err != nil {
			t.Fatal(err)
		}
		walk(s)
	}
	t.Logf("%d programs, %d with their commands", len(table.stanzas), count)
}

func TestExplain(t *testing.T) {
	text := "rm -rf /srv/x; curl -d @\u202efile http://x"
	got := Explain(Command(text, Bash), text)
	for _, want := range []string{"hard to get back", "Removes files recursively.", `"rm -rf"`, `⟦U+202E⟧`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "\u202e") {
		t.Error("the explanation repeats an invisible character")
	}
	if got := Explain(Command("ls", Bash), "ls"); got != "It only reads and leaves nothing behind." {
		t.Errorf("got %q", got)
	}
}
