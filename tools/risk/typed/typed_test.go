package typed

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/tools/risk"
)

// entered is a line that is typed and sent off.
func entered(program, line string) risk.Verdict {
	return Keys(risk.Keystrokes{Literal: line, Enter: true, Dialect: risk.Bash}, program)
}

// What is typed into a program gets the verdict of the program's language.
func TestLinesByLanguage(t *testing.T) {
	t.Parallel()
	const look, acts, destroys, opaque, secret = "look", "acts", "destroys", "opaque", "secret"
	for program, kinds := range map[string]map[string][]string{
		"psql": {
			look: {
				"select 1;", "select count(*) from orders where state = 'open';", `\dt`, `\d+ orders`, `\l`, `\x`, `\x on`, `\timing`, `\conninfo`, `\df public.*`,
				"select * from pg_stat_activity \\gx", "table orders;", "show work_mem;", "explain select 1;", "select '1'::int;", "select\n 1\n;", `\h CREATE TABLE`, `\q`, "exit", "",
				`\pset pager off`, "select pid, state\nfrom pg_stat_activity\nwhere state <> 'idle';",
			},
			acts:     {"update users set admin = true;", "insert into t values (1);", "vacuum;", "select pg_terminate_backend(1);", "begin;"},
			destroys: {"drop table x;", "delete from orders;", "truncate orders;", `\! rm -rf x`, "select 1;\ndrop table x;"},
			opaque: {
				`\! touch x`, `\!`, `\o /tmp/x`, `\copy t to 'x'`, `\i x.sql`, `\e`, `\g | sh`, `\g x`, "select 1 \\g x", `\c other`, `\set x y`, "select :x;", "select :'x';", `\dt ` + "`touch x`",
				`\dt \! touch x`, `\w x`, `\s x`, `\echo x`, `\lo_export 1 'x'`, `\gexec`, "copy t to program 'touch x';", "select 1;\n\\dt", "\\q\ntouch x", `\watch`, `\prompt x`, `\setenv PAGER x`, `\cd /`,
			},
			secret: {"select * from pg_shadow;", "select password from users;"},
		},
		"psql in a transaction": {look: {"select 1;"}, acts: {`\q`, "exit", "commit;"}},
		"mysql": {
			look: {
				"show tables;", "select 1;", "select 1\\G", "show processlist;", "describe t;", "use app", "use app;", "status", "help select", `\s`, "show variables like 'max%';", "explain select 1;",
			},
			acts:     {"rename table a to b;", "update t set a=1;", "flush logs;", "exit", "quit;", `\q`, "set global x=1;", "call p();", "optimize table t;"},
			destroys: {"drop table x;", "delete from t;", "truncate t;", `\! rm -rf x`, "reset master;"},
			opaque: {
				`\! touch x`, "system touch x", "source x.sql", `\. x.sql`, "tee x", `\T x`, "pager sh", `\P sh`, "edit", "delimiter //", `\d //`, "connect x", "prompt x", "SYSTEM touch x", "select 1;\nselect 2;",
			},
		},
		"sqlite3": {
			look: {
				".tables", ".schema", ".schema orders", ".headers on", ".mode column", ".databases", ".indexes", "select 1;", "select count(*) from t;", "pragma table_info(t);", ".timer on", ".width 10 20",
				".help", ".show", "select 1;\nselect 2;", ".tables\nselect 1;",
			},
			acts:     {"insert into t values (1);", "pragma journal_mode=wal;", ".quit", ".exit", "vacuum;", "attach 'x' as y;", "select writefile('x','y');", "select load_extension('x');", "create table x(a);"},
			destroys: {"drop table t;", "delete from t;", ".shell rm -rf x", ".system rm -rf x"},
			opaque: {
				".shell touch x", ".system touch x", ".shell", ".output x", ".once x", ".once |sh", ".output |sh", ".read x", ".read |sh", ".open x", ".save x", ".backup x", ".dump", ".import x t", ".load x", ".log x",
				".cd /", ".clone x", ".excel", ".archive -c", ".trace x", ".excel\nselect 1;", ".schema x; .shell touch x", ".mode insert", ".recover", ".w 1", ".shel touch x", "select 1\n/\n.output x", "select 1\ngo\n.log x", ".parameter set a 1", ".testcase x",
			},
		},
		"redis-cli": {
			look:     {"ping", "PING", "info", "INFO memory", "dbsize", "ttl session:1", "TYPE x", "llen queue", "slowlog get 10", "client list", "config get maxmemory", "help", "exit", "CONFIG GET maxmemory", "memory usage k", "cluster info"},
			acts:     {"set a b", "expire a 1", "lpush a b", "incr a"},
			destroys: {"flushall", "FLUSHALL", "FlushDB", "del a", "DEL a b", "shutdown", "rename a b", "debug segfault", "replicaof h 1", "script flush", "FLUSHALL ASYNC", "cluster reset"},
			opaque: {
				"eval x 0", `EVAL "return redis.call('flushall')" 0`, "config set dir /tmp", "CONFIG SET dbfilename x", "script load x", "function load x", "module load /tmp/x.so", "debug sleep 1", "connect h 1", "config rewrite",
				`set a "b c"`, "info -h evil", ":set x", "exit\ntouch x",
			},
			secret: {"get session:1", "hgetall user:1", "MONITOR"},
		},
		"mongosh": {
			look:     {"show dbs", "show collections", "db.stats()", "rs.status()", "db.orders.find({a: 1})", "db.orders.countDocuments({})"},
			destroys: {"db.orders.drop()", "db.dropDatabase()", "db.orders.deleteMany({})"},
			opaque:   {"db.orders.insertOne({})", "require('child_process')", "x", "load('x.js')", "use other"},
			acts:     {"exit", "quit()"},
		},
		"python3": {
			look:     {"1+1", "3 * (4 + 5) / 7", "1024 // 3", "7 % 2", "1 < 2", ""},
			acts:     {"exit()", "quit()"},
			destroys: {"import os; os.remove('x')", "shutil.rmtree('x')", "os.system('rm -rf x')", "open('x','w').truncate()"},
			opaque:   {"import os", "x", "print(x)", "open('x','w')", "__import__('os')", "9**9**9", "9**9", "1<<9", "f'{x}'", "'a'*9", "1 if 1 else x", "exec('')", "help()", "(1)(2)", "_", "exit()\ntouch x", "1;x", "1#", "!ls"},
		},
		"python3 of the user's own":               {opaque: {"1+1", "x"}, destroys: {"shutil.rmtree('x')"}},
		"psql in a transaction of the user's own": {opaque: {"select 1;"}, destroys: {"drop table x;"}},
		"node":      {look: {"1+1", "2 * 3"}, opaque: {"x", "2**3", "process.exit()", ".load x", ".save x", ".editor", "1 // 2", "fs.writeFileSync('x','')"}, destroys: {"require('fs').unlinkSync('x')"}, acts: {".exit"}},
		"irb":       {look: {"1+1"}, opaque: {"`touch x`", "system 'x'", "%x(touch x)", "x"}, destroys: {"File.delete('x')"}, acts: {"exit"}},
		"bc":        {look: {"1+1", "scale=4", "2^10", "sqrt(2)", "10/3", "4*a(1)"}, opaque: {"9^9^9", "9^999999", "while(1) 1", "!touch x", "define f(x) {", "x"}, acts: {"quit"}},
		"gdb":       {look: {"bt", "info threads", "p x", "print *p->next", "x/10i $pc", "info registers", "frame 2", "list main", "thread apply all bt", "p a[3].b", "disas main"}, opaque: {"", "shell touch x", "!touch x", "p f()", "p x=1", "p x--", "p ++x", "call f()", "run", "python x", "source x", "set x=1", "dump memory x 1 2", "generate-core-file", "pipe bt | sh", "info line; shell x", "p $_shell(1)", "kill", "continue"}, acts: {"quit", "q"}},
		"sftp":      {look: {"ls", "ls -l /tmp", "pwd", "cd x", "df -h", "bye"}, acts: {"get x", "put x", "mkdir x", "chmod 600 x"}, destroys: {"rm x", "rename a b", "!rm -rf x"}, opaque: {"!touch x", "!", "lls", "lls;touch x", "foo"}},
		"ftp":       {look: {"ls", "pwd", "status", "bye"}, acts: {"get x", "put x"}, destroys: {"delete x", "mdelete *", "!rm -rf x"}, opaque: {"!touch x", "ls x y", "ls |sh", "ls . |sh", "site x", "macdef x"}},
		"something": {acts: {"y", "yes", "3", "", "q"}, opaque: {"ls -l", "touch x", "select 1;"}, destroys: {"rm -rf x", "drop table x;"}},
	} {
		for kind, lines := range kinds {
			for _, line := range lines {
				v := entered(program, line)
				var ok bool
				switch kind {
				case look:
					ok = v.Auto
				case acts:
					ok = !v.Auto && v.Effect == risk.Mutate && !v.Flags.Has(risk.Opaque)
				case destroys:
					ok = !v.Auto && v.Effect == risk.Destroy
				case opaque:
					ok = !v.Auto && v.Flags.Has(risk.Opaque)
				case secret:
					ok = !v.Auto && v.Flags.Has(risk.Secret)
				}
				if !ok {
					t.Errorf("%s: %q: want %s, got %s %s auto %t: %v", program, line, kind, v.Effect, v.Flags, v.Auto, v.Findings)
				}
				whole := len(line)
				for _, f := range v.Findings {
					if f.Start < 0 || f.End > whole || f.Start > f.End {
						t.Errorf("%s: %q: the finding %+v is outside of it", program, line, f)
					}
				}
			}
		}
	}
}

// keysOf is a list of keys: words, of which one that begins with a quote is literal text.
func keysOf(program, text string) risk.Verdict {
	k := risk.Keystrokes{Dialect: risk.Bash, Tracked: true}
	k.Keys = strings.Fields(text)
	return Keys(k, program)
}

// Keys for programs that take the screen are looks where they only move in it.
func TestKeysForScreens(t *testing.T) {
	t.Parallel()
	for program, kinds := range map[string]map[bool][]string{
		"less": {
			true: {"q", "G", "g", "Space", "5 0 G", "/ e r r o r Enter", "? x Enter n N", "& x Enter", ": n", ": q", "h", "F C-c", "- S", "m a ' a", "p", "C-f C-b", "= q", "Up Down", "j k q"},
			false: {
				"! l s Enter", "!", "v", "s x Enter", "o x Enter", "O", "| $ s h Enter", ": e Space x Enter", "E", "+", "q l s Enter", "q Enter", "Escape", "/ x", "/ x Up Enter", "- o x Enter", "- k", "# x", "q q", ": q x", "C-x C-v", "^X", "Tab", "_ o",
				"- - l o g - f i l e = x Enter",
			},
		},
		"more": {
			true:  {"q", "Space", "Enter", "b", "="},
			false: {"! l s Enter", "v", ": ! x Enter", "Space Space", "q x", "."},
		},
		"vim": {
			true: {
				"Escape j k", "Escape G", "Escape g g", "Escape / x Enter n", "Escape : q Enter", "Escape : 1 2 0 Enter", "Escape : s e t Space n u Enter", "Escape C-f", "Escape 5 j", "Escape", "Escape z t", "Escape : n o h Enter",
			},
			false: {
				"j", "G", "i x", "Escape d d", "Escape x", "Escape : w Enter", "Escape : w q Enter", "Escape Z Z", "Escape : q ! Enter", "Escape : ! l s Enter", "Escape : % s / a / b / Enter", "Escape : e Space x Enter", "Escape @ a", "Escape q a",
				"Escape : q Enter l s Enter", "Escape : s e t Space n u | ! x Enter", "Escape p", "Escape u", "Escape .", "Escape g f", "Escape K", "Escape : s Space n u Enter", "Escape g ! x", "Escape \" a p", "Escape : q", "Escape C-v", "Escape :", "Escape c w",
				"Escape Q", "Escape [ x", "Escape : r Space x Enter", "Escape : s o Space x Enter", "Escape J", "Escape ~", "Escape C-a", "Escape &", "Escape C-]", "Escape C-z",
			},
		},
		"top":  {true: {"q", "M", "1", "Space"}, false: {"k", "r", "W", "q x", "k 1 Enter", "Enter", "d"}},
		"htop": {true: {"q", "F10", "Down"}, false: {"k", "F9", "F9 Enter", "M", "s", "e", "F2", "q l"}},
	} {
		for want, all := range kinds {
			for _, keys := range all {
				if v := keysOf(program, keys); v.Auto != want {
					t.Errorf("%s: %q: auto %t: %v", program, keys, v.Auto, v.Findings)
				} else if !want && v.Effect == risk.Observe {
					t.Errorf("%s: %q: %+v", program, keys, v)
				}
			}
		}
	}
	if v := Keys(risk.Keystrokes{Keys: []string{"!"}, Literal: "", Enter: true}, "less"); v.Auto || !v.Flags.Has(risk.Opaque) {
		t.Errorf("a shell from less: %+v", v)
	}
	if v := Keys(risk.Keystrokes{Literal: "!rm -rf x\n", Dialect: risk.Bash}, "less"); v.Effect != risk.Destroy {
		t.Errorf("a deletion from less: %+v", v)
	}
	if v := Keys(risk.Keystrokes{Literal: ":wq\n"}, "vim"); v.Auto {
		t.Errorf("text for vim in whatever mode it is: %+v", v)
	}
}

// What is too long to be read is opaque, and soon.
func TestKeysHaveBounds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("x\n", 4000), strings.Repeat("1+", 20000), strings.Repeat("select 1;\n", 800), strings.Repeat("a", 1<<20),
	} {
		for i := 0; i < len(languages); i += 4 {
			if v := entered(languages[i].name, text); v.Auto || !v.Flags.Has(risk.Opaque) || len(v.Findings) > 50 {
				t.Errorf("%s: %d bytes like %.8q: auto %t, %s, %d findings", languages[i].name, len(text), text, v.Auto, v.Flags, len(v.Findings))
			}
		}
		for i := range screens {
			if v := entered(screens[i].name, text); v.Auto {
				t.Errorf("%s: %d bytes like %.8q", screens[i].name, len(text), text)
			}
		}
	}
}

// What stands on the line already counts, and what makes the line one that is not known.
func TestTheLineThatHasBegun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		program string
		keys    risk.Keystrokes
		effect  risk.Effect
		opaque  bool
		auto    bool
	}{
		"the rest of a deletion":      {"sqlite3", risk.Keystrokes{Pending: "drop ", Literal: "table t;", Enter: true}, risk.Destroy, false, false},
		"the beginning of one":        {"sqlite3", risk.Keystrokes{Literal: "drop table"}, risk.Destroy, false, false},
		"enter sends what stands":     {"sqlite3", risk.Keystrokes{Pending: "drop table t;", Enter: true}, risk.Destroy, false, false},
		"lines that have begun":       {"psql", risk.Keystrokes{Pending: "delete\nfrom t\n", Literal: "where a=1;", Enter: true}, risk.Destroy, false, false},
		"a look in two steps":         {"psql", risk.Keystrokes{Pending: "select *\nfrom t", Literal: " limit 1;", Enter: true}, risk.Observe, false, true},
		"a file behind a look":        {"mysql", risk.Keystrokes{Pending: "select 1 ", Literal: "into outfile '/tmp/x';", Enter: true}, risk.Mutate, false, false},
		"a shell escape in two steps": {"psql", risk.Keystrokes{Pending: `\`, Literal: "! touch x", Enter: true}, risk.Mutate, true, false},
		"one in two keys":             {"psql", risk.Keystrokes{Keys: []string{`\`, "!", "x", "Enter"}}, risk.Mutate, true, false},
		"an earlier line":             {"psql", risk.Keystrokes{Keys: []string{"Up", "Enter"}}, risk.Mutate, true, false},
		"an earlier line, looked at":  {"psql", risk.Keystrokes{Keys: []string{"Up"}}, risk.Observe, false, true},
		"an earlier line, changed":    {"psql", risk.Keystrokes{Keys: []string{"Up"}, Enter: true}, risk.Mutate, true, false},
		"a search for one":            {"psql", risk.Keystrokes{Keys: []string{"C-r"}, Literal: "x", Enter: true}, risk.Mutate, true, false},
		"completion":                  {"psql", risk.Keystrokes{Literal: "select \t;", Enter: true}, risk.Mutate, true, false},
		"in the middle":               {"psql", risk.Keystrokes{Pending: "elect 1;", Keys: []string{"Home", "s", "Enter"}}, risk.Mutate, true, false},
		"the line is given up":        {"psql", risk.Keystrokes{Pending: "drop table t;", Keys: []string{"C-u"}}, risk.Observe, false, true},
		"given up, then a look":       {"psql", risk.Keystrokes{Pending: "drop table t;", Keys: []string{"C-u", `\`, "l", "Enter"}}, risk.Observe, false, true},
		"the last line is given up":   {"psql", risk.Keystrokes{Pending: "drop table\nt", Keys: []string{"C-u", ";", "Enter"}}, risk.Destroy, false, false},
		"interrupted":                 {"psql", risk.Keystrokes{Pending: "drop table t;", Keys: []string{"C-c"}, Tracked: true}, risk.Observe, false, true},
		"interrupted, then more":      {"psql", risk.Keystrokes{Keys: []string{"C-c"}, Enter: true, Tracked: true}, risk.Mutate, true, false},
		"the end of input":            {"psql", risk.Keystrokes{Keys: []string{"C-d"}}, risk.Observe, false, true},
		"the end of what is held":     {"python3", risk.Keystrokes{Keys: []string{"C-d"}}, risk.Mutate, false, false},
		"the end, then a command":     {"psql", risk.Keystrokes{Keys: []string{"C-d", "l", "s", "Enter"}}, risk.Mutate, true, false},
		"an escape sequence":          {"psql", risk.Keystrokes{Literal: "\x1b[A", Enter: true}, risk.Mutate, true, false},
		"a command behind the end":    {"psql", risk.Keystrokes{Literal: "\\q\nrm -rf x\n", Dialect: risk.Bash}, risk.Destroy, true, false},
		"invisible characters":        {"sqlite3", risk.Keystrokes{Literal: "select\u202e 1;", Enter: true}, risk.Mutate, true, false},
	} {
		v := Keys(c.keys, c.program)
		if v.Effect != c.effect || v.Flags.Has(risk.Opaque) != c.opaque || v.Auto != c.auto {
			t.Errorf("%s: got %s %s auto %t: %v", name, v.Effect, v.Flags, v.Auto, v.Findings)
		}
	}
}
