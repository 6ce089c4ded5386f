package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// sqlDialect is how a client and its server read a statement.
type sqlDialect uint8

const (
	sqlAny sqlDialect = iota // quotes of every kind count
	sqlPostgres
	sqlMySQL
	sqlLite
)

// sqlDialects are by program; the others are sqlAny.
var sqlDialects = map[string]sqlDialect{
	"psql": sqlPostgres, "pgcli": sqlPostgres, "mysql": sqlMySQL, "mariadb": sqlMySQL, "sqlite3": sqlLite, "sqlite": sqlLite,
}

// sqlToken is a piece of a statement.
type sqlToken struct {
	kind byte   // 'w' a bare word, 'q' a quoted name, 's' a string, 'n' a number, 'p' a sign
	text string // a name without its quotes, a bare word in lower case
}

// sqlTokens cuts a statement up. ok is false if it cannot be read for sure: with
// a comment, a backslash, a dollar quote, or a quote that does not end.
func sqlTokens(text string, d sqlDialect) (tokens []sqlToken, ok bool) {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case strings.IndexByte(" \t\n\r", c) >= 0:
			i++
		case c == '$' && d == sqlPostgres && sqlDollar().MatchString(text[i:]):
			tag := sqlDollar().FindString(text[i:])
			end := strings.Index(text[i+len(tag):], tag)
			if end < 0 {
				return nil, false
			}
			tokens = append(tokens, sqlToken{'s', text[i+len(tag) : i+len(tag)+end]})
			i += 2*len(tag) + end
		case c == '\\' || c == '$' || c == '#' && d != sqlPostgres || strings.HasPrefix(text[i:], "--") || strings.HasPrefix(text[i:], "/*"):
			return nil, false
		case c == '\'' || c == '"' || c == '`' || c == '[' && (d == sqlLite || d == sqlAny && bracketed(tokens)):
			inner, end := sqlQuoted(text, i)
			if end < 0 || c == '\'' && strings.IndexByte(inner, '\\') >= 0 {
				return nil, false // a backslash ends a string in one server and not in the other
			}
			kind := byte('q')
			if c == '\'' || c == '"' && d == sqlMySQL {
				kind = 's'
			}
			tokens = append(tokens, sqlToken{kind, inner})
			i = end
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || c == '@':
			end := i + 1
			for end < len(text) && (text[end] == '_' || text[end] == '$' || text[end] >= 0x80 || text[end] == '@' || isDigit(text[end], 10) || text[end] >= 'a' && text[end] <= 'z' || text[end] >= 'A' && text[end] <= 'Z') {
				end++
			}
			word := strings.ToLower(text[i:end])
			if word == "u" && strings.HasPrefix(text[end:], "&") {
				return nil, false // names and strings written with escapes
			}
			tokens = append(tokens, sqlToken{'w', word})
			i = end
		case c >= '0' && c <= '9':
			end := i
			for end < len(text) && (isDigit(text[end], 16) || strings.IndexByte(".xX_", text[end]) >= 0) {
				end++
			}
			tokens = append(tokens, sqlToken{'n', text[i:end]})
			i = end
		default:
			tokens = append(tokens, sqlToken{'p', string(c)})
			i++
		}
	}
	return tokens, true
}

// sqlDollar opens and closes a string of PostgreSQL.
var sqlDollar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$([A-Za-z_][A-Za-z_0-9]*)?\$`) })

// bracketed reports whether a bracket would stand for a name and not for a
// subscript.
func bracketed(tokens []sqlToken) bool {
	n := len(tokens)
	return n == 0 || tokens[n-1].kind == 'w' && sqlClause[tokens[n-1].text] || tokens[n-1].kind == 'p' && tokens[n-1].text != ")" && tokens[n-1].text != "]"
}

var sqlClause = map[string]bool{"select": true, "from": true, "join": true, "where": true, "and": true, "or": true, "by": true, "on": true, "distinct": true, "all": true}

// sqlQuoted reads a quoted piece, in which the quote is doubled; end is behind
// it, or -1.
func sqlQuoted(text string, at int) (inner string, end int) {
	closing := text[at]
	if closing == '[' {
		closing = ']'
	}
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		if text[i] != closing {
			b.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == closing && closing != ']' {
			b.WriteByte(closing)
			i++
			continue
		}
		return b.String(), i + 1
	}
	return "", -1
}

// sqlBegins are the words that a statement which only reads begins with.
var sqlBegins = map[string]bool{
	"select": true, "show": true, "explain": true, "describe": true, "desc": true, "table": true, "values": true, "with": true, "pragma": true,
}

// sqlActing are words that a statement which only reads does not hold.
var sqlActing = map[string]bool{}

// sqlFiles are names by which SQLite and its kin reach files, programs and
// modules, functions and tables alike.
var sqlFiles = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`into insert update delete merge replace alter create drop truncate grant revoke copy call do execute
		exec lock unlock set reset load install attach detach vacuum reindex cluster refresh comment import export outfile dumpfile
		infile declare fetch move prepare deallocate listen notify begin start commit rollback savepoint release handler flush kill
		shutdown rename optimize repair purge use source system for returning`) {
		sqlActing[w] = true
	}
	for _, w := range strings.Fields(`edit fsdir readfile writefile load_extension zipfile lsmode sqlite_dbpage csv fts3_tokenizer eval completion
		url file remote remotesecure s3 s3cluster hdfs mysql postgresql mongodb redis sqlite jdbc odbc executable input urlcluster
		filecluster gcs azureblobstorage deltalake iceberg hudi`) {
		sqlFiles[w] = true
	}
}

// sql judges a statement for a database. One that reads, and calls nothing that
// is not known to only read, is harmless; what it shows may still be secret.
func (a *assessor) sql(w word) {
	if !w.known() {
		a.unread(Mutate, Opaque, "sql.dynamic", "the statement is not known", w)
	}
	if sqlLoses(w.text) {
		a.note(Destroy, 0, "sql.destroys", "the statement removes data", w)
	}
	if sqlSecret().MatchString(w.text) {
		a.note(Observe, Secret, "sql.secret", "the statement touches what looks like secrets", w)
	}
	text := strings.Trim(w.text, " \t\n")
	if a.sqlOwn(text) {
		return
	}
	if strings.Contains(text, `\`) {
		if body, ok := strings.CutSuffix(text, `\G`); ok {
			text = body
		}
	}
	if escape := sqlEscape().FindString(text); escape != "" {
		a.note(Mutate, Opaque, "sql.shell", "the client runs a program of the host", w)
		if _, command, ok := strings.Cut(text, escape); ok {
			w.text = command
			a.nested(w)
		}
	}
	if lossHint().MatchString(text) {
		a.note(Destroy, 0, "argument.loss", "reads as if it removes something", w)
	}
	tokens, ok := sqlTokens(text, a.sqlKind)
	if !ok || len(tokens) == 0 {
		a.note(Mutate, 0, "sql.acts", "the statement is not known to only read", w)
		return
	}
	for len(tokens) > 0 {
		end := slices.Index(tokens, sqlToken{'p', ";"})
		if end < 0 {
			end = len(tokens)
		}
		if end > 0 {
			a.sqlStatement(tokens[:end], w)
		}
		tokens = tokens[min(end+1, len(tokens)):]
	}
}

// sqlOwn reports whether a text is a command of the client's own that describes.
func (a *assessor) sqlOwn(text string) bool {
	switch a.sqlKind {
	case sqlPostgres:
		return sqlMeta().MatchString(text)
	case sqlLite:
		return sqlDot().MatchString(text)
	}
	return false
}

// sqlStatement judges one statement without its semicolon.
func (a *assessor) sqlStatement(tokens []sqlToken, w word) {
	acts := func(why string) { a.note(Mutate, 0, "sql.acts", why, w) }
	for tokens[0] == (sqlToken{'p', "("}) && len(tokens) > 1 {
		tokens = tokens[1:]
	}
	if tokens[0].kind != 'w' || !sqlBegins[tokens[0].text] {
		acts("the statement is not known to only read")
		return
	}
	if tokens[0].text == "pragma" {
		if a.sqlKind != sqlLite || !sqlPragma(tokens[1:]) {
			acts("the setting may be changed by this")
		}
		return
	}
	show := tokens[0].text == "show"
	for i, t := range tokens {
		next, last := sqlToken{}, sqlToken{}
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		if i > 0 {
			last = tokens[i-1]
		}
		switch {
		case t.kind == 'w' && sqlActing[t.text] && !(show && i > 0 && next.text != "=") && next.text != ".":
			acts("the statement holds " + strings.ToUpper(t.text) + ", which does not only read")
			return
		case (t.kind == 'w' || t.kind == 'q' || t.kind == 's') && sqlFiles[strings.ToLower(t.text)] && (next.text == "(" || a.sqlKind == sqlLite):
			acts("the statement reaches files or programs by " + shown(t.text))
			return
		case next == (sqlToken{'p', "("}) && t.kind != 'p' && t.kind != 'n':
			a.sqlCall(t, last, w)
		case t.kind == 'p' && t.text == ":" && next == (sqlToken{'p', "="}):
			acts("the statement sets a variable")
			return
		case a.sqlKind == sqlPostgres && t == (sqlToken{'p', "."}) && (next.kind == 'w' || next.kind == 'q'):
			if last == (sqlToken{'p', ")"}) || last == (sqlToken{'p', "]"}) {
				acts("what follows the bracket may be a function that is called")
				return
			}
		}
	}
	if a.sqlKind == sqlPostgres {
		a.sqlAttributes(tokens, w)
	}
}

// sqlCall judges a function by the name before its bracket.
func (a *assessor) sqlCall(name, before sqlToken, w word) {
	qualified := before == (sqlToken{'p', "."})
	if !sqlQuiet[name.text] || qualified || name.kind == 's' || name.kind == 'q' && sqlKeyword[name.text] {
		a.note(Mutate, 0, "sql.function", "the function "+shown(name.text)+" is not known to only read", w)
	}
}

// sqlAttributes judges "name.name" for PostgreSQL, where it may be a call of a
// function with one row as its argument. The columns of the catalog are known;
// of a table of somebody's it is only known that it has no name like a deed.
func (a *assessor) sqlAttributes(tokens []sqlToken, w word) {
	own := map[string]bool{}
	for i, t := range tokens {
		if t.kind != 'w' || t.text != "from" && t.text != "join" && t.text != "," || i+1 >= len(tokens) {
			continue
		}
		table := tokens[i+1]
		catalog := table.kind == 'w' && (strings.HasPrefix(table.text, "pg_") || table.text == "information_schema")
		own[table.text] = own[table.text] || !catalog
		for at := i + 2; at < len(tokens) && at < i+6; at++ {
			switch name := tokens[at]; {
			case name == (sqlToken{'p', "."}), name == (sqlToken{'w', "as"}):
				continue
			case (name.kind == 'w' || name.kind == 'q') && !sqlAfterTable[name.text]:
				own[name.text] = own[name.text] || !catalog
				continue
			}
			break
		}
	}
	for i, t := range tokens {
		if t != (sqlToken{'p', "."}) || i == 0 || i+1 >= len(tokens) {
			continue
		}
		if own[tokens[i-1].text] && (i < 2 || tokens[i-2].text != "from" && tokens[i-2].text != "join" && tokens[i-2].text != ".") && tokens[i+1].text != "*" {
			a.note(Mutate, 0, "sql.attribute", shown(tokens[i-1].text+"."+tokens[i+1].text)+" may be a function that is called with a row", w)
			return
		}
	}
}

var sqlAfterTable = map[string]bool{
	"where": true, "join": true, "left": true, "right": true, "inner": true, "outer": true, "cross": true, "full": true, "on": true, "group": true,
	"order": true, "limit": true, "union": true, "natural": true, "having": true, "using": true, "offset": true, "lateral": true, "window": true,
}

// sqlPragma reports whether a pragma of SQLite only asks.
func sqlPragma(tokens []sqlToken) bool {
	if len(tokens) == 0 || tokens[0].kind != 'w' || slices.Contains(tokens, sqlToken{'p', "="}) {
		return false
	}
	switch tokens[0].text {
	case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list", "foreign_key_check", "integrity_check", "quick_check":
		return len(tokens) == 1 || len(tokens) == 4 && tokens[1].text == "(" && tokens[3].text == ")"
	case "database_list", "page_count", "page_size", "freelist_count", "user_version", "schema_version", "journal_mode", "encoding", "compile_options",
		"collation_list", "function_list", "module_list", "auto_vacuum", "cache_size", "synchronous", "foreign_keys", "application_id":
		return len(tokens) == 1
	}
	return false
}

// language is the kind of what a program reads from its input where it is given
// no statement.
func (m *matching) language() kind {
	for _, o := range m.s.options {
		if o.value.kind == kindSQL || o.value.kind == kindMongo {
			return o.value.kind
		}
	}
	for _, p := range m.s.operands {
		if p.kind == kindSQL || p.kind == kindMongo {
			return p.kind
		}
	}
	return kindNone
}

// Statement assesses a statement for a database, or several, as its client by this name
// would read them on a line of its own: "psql", "mysql", "sqlite3", "mongosh".
func Statement(client, text string) Verdict {
	a := &assessor{effect: Observe, sqlKind: sqlDialects[client]}
	w := word{text: text, end: len(text), quoted: true}
	switch {
	case len(text) > maxText:
		a.note(Mutate, Opaque, "text.size", "the text is too long to be read", w)
	case client == "mongosh":
		a.control(text)
		a.mongo(w)
	default:
		a.control(text)
		a.sql(w)
	}
	return a.verdict()
}
