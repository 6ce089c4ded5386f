package typed

import (
	"strings"
	"testing"
)

// one is a process by its file and its arguments.
func one(pid, parent int, file, argv string) Process {
	return Process{PID: pid, Parent: parent, Name: file, File: file, Argv: strings.Fields(argv)}
}

// Which program reads the keys is what the kernel and the screen say together.
func TestRecognize(t *testing.T) {
	t.Parallel()
	prompt := func(line string) Screen { return Screen{Line: line} }
	bottom := func(line string) Screen { return Screen{Line: line, Bottom: true} }
	full := Screen{Alternate: true}
	for name, c := range map[string]struct {
		group   []Process
		tracked string
		screen  Screen
		want    Reader
	}{
		"python":                       {group: []Process{one(5, 1, "python3.11", "python3 -q")}, screen: prompt(">>> "), want: Reader{"python3", ""}},
		"a python of one's own":        {group: []Process{{PID: 5, Parent: 1, File: "python3.11", Own: true, Argv: []string{"/home/u/.pyenv/versions/3.11.4/bin/python"}}}, screen: prompt(">>> "), want: Reader{"python3 of the user's own", ""}},
		"a psql of one's own":          {group: []Process{{PID: 5, Parent: 1, File: "psql", Own: true, Argv: []string{"psql"}}}, screen: prompt("app=*> "), want: Reader{"psql in a transaction of the user's own", ""}},
		"where the kernel is silent":   {tracked: "/home/u/bin/sqlite3 x.db", screen: prompt("sqlite> "), want: Reader{"sqlite3 of the user's own", ""}},
		"in a system folder":           {tracked: "/usr/bin/sqlite3 x.db", screen: prompt("sqlite> "), want: Reader{"sqlite3", ""}},
		"what stands there":            {group: []Process{one(5, 1, "python3.11", "python3")}, screen: prompt(">>> 1+"), want: Reader{"python3", "1+"}},
		"a line that goes on":          {group: []Process{one(5, 1, "python3", "python3")}, screen: prompt("... ")},
		"a script that asks so":        {group: []Process{one(5, 1, "python3", "python3 app.py")}, screen: prompt(">>> ")},
		"another prompt":               {group: []Process{one(5, 1, "python3", "python3")}, screen: prompt("(Pdb) ")},
		"the cursor elsewhere":         {group: []Process{one(5, 1, "python3", "python3")}, screen: Screen{Line: ">>> ", Behind: "os.remove()"}},
		"named like one":               {group: []Process{one(5, 1, "evil", "python3")}, screen: prompt(">>> ")},
		"psql":                         {group: []Process{one(5, 1, "psql", "/usr/lib/postgresql/15/bin/psql -U app app")}, screen: prompt("app=# "), want: Reader{"psql", ""}},
		"psql in a transaction":        {group: []Process{one(5, 1, "psql", "psql")}, screen: prompt("app=*> select"), want: Reader{"psql in a transaction", "select"}},
		"psql with SQL of two lines":   {group: []Process{one(5, 1, "psql", "psql")}, screen: Screen{Line: "app-# from t", Above: []string{"x", "app=# select *"}}, want: Reader{"psql", "select *\nfrom t"}},
		"of which the first is not":    {group: []Process{one(5, 1, "psql", "psql")}, screen: Screen{Line: "app-# from t", Above: []string{"x", "y"}}},
		"psql line by line":            {group: []Process{one(5, 1, "psql", "psql -S")}, screen: prompt("app=# ")},
		"psql of another user":         {group: []Process{one(5, 1, "sudo", "sudo -u postgres psql"), {PID: 6, Parent: 5, Name: "psql", Argv: []string{"psql"}}}, screen: prompt("postgres=# "), want: Reader{"psql", ""}},
		"behind sudo's own terminal":   {group: []Process{one(5, 1, "sudo", "sudo -u postgres psql app")}, screen: prompt("app=# "), want: Reader{"psql", ""}},
		"sudo with a shell":            {group: []Process{one(5, 1, "sudo", "sudo -i")}, screen: prompt("app=# ")},
		"in a container":               {group: []Process{one(5, 1, "docker", "docker exec -it db psql -U app")}, screen: prompt("app=> "), want: Reader{"psql", ""}},
		"a container of that name":     {group: []Process{one(5, 1, "docker", "docker exec -it psql sh")}, screen: prompt("app=> ")},
		"in a pod":                     {group: []Process{one(5, 1, "kubectl", "kubectl -n db exec -it pg-0 -c pg -- psql")}, screen: prompt("app=> "), want: Reader{"psql", ""}},
		"in compose":                   {group: []Process{one(5, 1, "docker", "docker compose exec db sqlite3 x.db")}, screen: prompt("sqlite> "), want: Reader{"sqlite3", ""}},
		"on a host":                    {group: []Process{one(5, 1, "ssh", "ssh -t db-1 sudo -u postgres psql")}, screen: prompt("app=# "), want: Reader{"psql", ""}},
		"a host's shell":               {group: []Process{one(5, 1, "ssh", "ssh db-1")}, screen: prompt("app=# ")},
		"a shell there reads the rest": {group: []Process{{PID: 5, Parent: 1, File: "ssh", Argv: []string{"ssh", "-t", "db-1", "sh;", "psql"}}}, screen: prompt("app=# ")},
		"a shell that it opened":       {group: []Process{one(5, 1, "psql", "psql"), one(6, 5, "dash", "sh")}, screen: prompt("app=# ")},
		"its pager":                    {group: []Process{one(5, 1, "psql", "psql"), one(6, 5, "less", "less")}, screen: bottom(":"), want: Reader{"less", ""}},
		"mysql":                        {group: []Process{one(5, 1, "mariadb", "mysql -uroot app")}, screen: prompt("MariaDB [app]> "), want: Reader{"mysql", ""}},
		"sqlite":                       {group: []Process{one(5, 1, "sqlite3", "sqlite3 x.db")}, screen: prompt("sqlite> "), want: Reader{"sqlite3", ""}},
		"sqlite, line two":             {group: []Process{one(5, 1, "sqlite3", "sqlite3 x.db")}, screen: Screen{Line: "   ...> ", Above: []string{"sqlite> delete", "   ...> from t"}}, want: Reader{"sqlite3", "delete\nfrom t\n"}},
		"sqlite with a statement":      {group: []Process{one(5, 1, "sqlite3", "sqlite3 x.db .read")}, screen: prompt("sqlite> ")},
		"redis":                        {group: []Process{one(5, 1, "redis-cli", "redis-cli -n 2")}, screen: prompt("127.0.0.1:6379[2]> get"), want: Reader{"redis-cli", "get"}},
		"redis collecting":             {group: []Process{one(5, 1, "redis-cli", "redis-cli")}, screen: prompt("127.0.0.1:6379(TX)> ")},
		"mongosh":                      {group: []Process{one(5, 1, "node", "node /usr/bin/mongosh")}, screen: prompt("rs0 [direct: primary] test> "), want: Reader{"mongosh", ""}},
		"mongosh, plain":               {group: []Process{one(5, 1, "node", "node /usr/bin/mongosh --quiet")}, screen: prompt("test> "), want: Reader{"mongosh", ""}},
		"less":                         {group: []Process{one(5, 1, "less", "less +G /var/log/syslog")}, screen: bottom("(END)"), want: Reader{Program: "less"}},
		"less, a file's name":          {group: []Process{one(5, 1, "less", "less a.log")}, screen: bottom("a.log"), want: Reader{Program: "less"}},
		"less, a shell command":        {group: []Process{one(5, 1, "less", "less a.log")}, screen: bottom("!rm")},
		"less, a name is asked":        {group: []Process{one(5, 1, "less", "less a.log")}, screen: bottom("Log file: ")},
		"less, in the middle":          {group: []Process{one(5, 1, "less", "less a.log")}, screen: prompt(":")},
		"less with a command":          {group: []Process{one(5, 1, "less", "less +!sh a.log")}, screen: bottom(":")},
		"a manual":                     {group: []Process{one(5, 1, "man", "man ls"), one(6, 5, "less", "pager")}, screen: bottom(" Manual page ls(1) line 1 (press h for help or q to quit)"), want: Reader{Program: "less"}},
		"behind a pipe":                {group: []Process{one(5, 1, "journalctl", "journalctl -u x"), one(6, 1, "less", "less")}, screen: bottom("lines 1-40"), want: Reader{Program: "less"}},
		"two that may read":            {group: []Process{one(5, 1, "python3", "python3"), one(6, 1, "less", "less")}, screen: bottom(":")},
		"vim":                          {group: []Process{one(5, 1, "vim.nox", "vi a.txt")}, screen: full, want: Reader{Program: "vim"}},
		"vim, its command line":        {group: []Process{one(5, 1, "vim.nox", "vi a.txt")}, screen: Screen{Alternate: true, Bottom: true}},
		"vim with commands":            {group: []Process{{PID: 5, Parent: 1, File: "vim.nox", Argv: []string{"vim", "-c", "map j :!x<CR>", "a"}}}, screen: full},
		"busybox":                      {group: []Process{one(5, 1, "busybox", "less a")}, screen: bottom("(END)"), want: Reader{Program: "less"}},
		"the kernel says nothing":      {tracked: "sqlite3 x.db", screen: prompt("sqlite> "), want: Reader{"sqlite3", ""}},
		"nor of a pipe":                {tracked: "cat x | sqlite3 x.db", screen: prompt("sqlite> ")},
		"nor of a variable":            {tracked: "sqlite3 $x", screen: prompt("sqlite> ")},
		"nobody knows":                 {screen: prompt("sqlite> ")},
		"top":                          {group: []Process{one(5, 1, "top", "top")}, want: Reader{Program: "top"}},
		"bc":                           {group: []Process{one(5, 1, "bc", "bc -l")}, want: Reader{"bc", ""}},
		"bc, a line":                   {group: []Process{one(5, 1, "bc", "bc -l")}, screen: prompt("1+")},
		"gdb":                          {group: []Process{one(5, 1, "gdb", "gdb -p 7")}, screen: prompt("(gdb) "), want: Reader{"gdb", ""}},
	} {
		if got := Recognize(Evidence{Group: c.group, Tracked: c.tracked, Screen: c.screen}); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
