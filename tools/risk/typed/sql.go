package typed

import (
	"strings"

	"github.com/nod-console/nod/tools/risk"
)

// Commands of the clients of databases that describe, or only set how the client itself
// shows what it is asked. A whole line is matched, so that nothing follows.
var (
	psqlLooks = re(`^\\(?:(?:d[a-zA-Z]{0,4}|l|z|s[fv])[S+]{0,2}|conninfo|errverbose|encoding|copyright|\?)(?: +[A-Za-z0-9_.*]+)?$` +
		`|^\\h(?: +[A-Za-z ]+)?$|^\\(?:x|timing)(?: +(?:on|off|auto))?$|^\\[atH]$` +
		`|^\\pset +(?:format +(?:un)?aligned|pager +off|border +[0-2])$`)
	mysqlLooks  = re(`^(?:\\[hsc?]|status|help(?: +[A-Za-z ]+)?|(?:use|\\u) +[A-Za-z0-9_$-]+|clear)$`)
	sqliteLooks = re(`^\.(?:tables|schema|indexes|indices|databases|fullschema|dbinfo|show|version|help)(?: +[A-Za-z0-9_.%-]+)?$` +
		`|^\.(?:headers?|timer|changes|echo|stats) +(?:on|off)$|^\.nullvalue +[A-Za-z0-9_-]+$|^\.width(?: +-?\d+)*$` +
		`|^\.mode +(?:ascii|box|csv|column|html|json|line|list|markdown|qbox|quote|table|tabs)$`)
)

// psqlOwn judges a command of psql's own.
func psqlOwn(s *session, line string) bool {
	if !strings.HasPrefix(line, `\`) {
		return false
	}
	if !psqlLooks().MatchString(line) {
		s.escape(line, `\!`)
	}
	return true
}

// psqlStatement judges SQL for psql, which puts values of variables into it, and sends it
// off also by a command at its end.
func psqlStatement(s *session, text string) {
	for _, end := range []string{`\gx`, `\g`, `\gdesc`} {
		if body, ok := strings.CutSuffix(strings.TrimSpace(text), end); ok {
			text = body + ";"
			break
		}
	}
	s.commandsWithin(text)
	if psqlVariable().MatchString(text) {
		s.note(risk.Mutate, risk.Opaque, "typed.variable", "psql puts the value of a variable into the statement")
	}
	s.add(risk.Statement(s.name, text))
}

var psqlVariable = re(`(?:^|[^:]):['"{A-Za-z_0-9]`)

// mysqlOwn judges a command of the client's own.
func mysqlOwn(s *session, line string) bool {
	bare := strings.TrimSpace(strings.TrimSuffix(line, ";"))
	switch word, _, _ := strings.Cut(strings.ToLower(bare), " "); {
	case mysqlLooks().MatchString(bare):
		return true
	case strings.HasPrefix(bare, `\`), mysqlCommands[word]:
		s.escape(line, `\!`)
		return true
	}
	return false
}

// mysqlCommands are words with which a line is one for the client.
var mysqlCommands = set("source system tee pager edit delimiter connect prompt rehash charset resetconnection notee nopager print go ego warnings nowarning query_attributes")

// mysqlStatement judges SQL for mysql, which may be sent off by a command at its end.
func mysqlStatement(s *session, text string) {
	for _, end := range []string{`\G`, `\g`} {
		if body, ok := strings.CutSuffix(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), ";")), end); ok {
			text = body + ";"
			break
		}
	}
	s.commandsWithin(text)
	s.add(risk.Statement(s.name, text))
}

// commandsWithin finds a client's own commands within a statement: they begin with a
// backslash anywhere on a line.
func (s *session) commandsWithin(text string) {
	if strings.Contains(text, `\`) {
		s.note(risk.Mutate, risk.Opaque, "typed.own", "a command of "+s.name+" may stand within the statement")
	}
}

// sqliteOwn judges a command of sqlite3's own.
func sqliteOwn(s *session, line string) bool {
	if !strings.HasPrefix(line, ".") {
		return false
	}
	if !sqliteLooks().MatchString(line) {
		s.escape(line, ".shell ")
	}
	return true
}

// sqliteStatement judges SQL for sqlite3. A line "/" or "go" ends a statement there, too, and
// the line behind it may then be a command of the client's own.
func sqliteStatement(s *session, text string) {
	if strings.Contains(text, "\n.") {
		s.note(risk.Mutate, risk.Opaque, "typed.own", "a line within the statement may be a command of "+s.name)
	}
	s.add(risk.Statement(s.name, text))
}

// escape judges a command of a client's own that is not known to look only: it may write
// files, read statements from some, or run a program. What follows shell is a command.
func (s *session) escape(line, shell string) {
	if _, command, ok := strings.Cut(strings.Replace(line, ".system ", ".shell ", 1), shell); ok {
		s.add(risk.Command(strings.TrimSpace(command), risk.Bash))
		s.note(risk.Mutate, risk.Opaque, "sql.shell", s.name+" runs a program of the host")
		return
	}
	s.note(risk.Mutate, risk.Opaque, "typed.own", "a command of "+s.name+" that is not known to only look")
}
