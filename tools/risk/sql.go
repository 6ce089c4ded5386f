package risk

import (
	"slices"
	"strings"
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
	for tokens[0] == (sqlToken{'p', "("}) && len(tokens) > 1 {
		tokens = tokens[1:]
	}
	if tokens[0].kind != 'w' || !sqlBegins[tokens[0].text] {
		a.sqlActs("the statement is not known to only read", w)
		return
	}
	if tokens[0].text == "pragma" {
		if a.sqlKind != sqlLite || !sqlPragma(tokens[1:]) {
			a.sqlActs("the setting may be changed by this", w)
		}
		return
	}
	show := tokens[0].text == "show"
	for i, t := range tokens {
		before, next := sqlAround(tokens, i)
		if why := a.sqlDeed(t, before, next, show && i > 0); why != "" {
			a.sqlActs(why, w)
			return
		}
		if next == (sqlToken{'p', "("}) && t.kind != 'p' && t.kind != 'n' {
			a.sqlCall(t, before, w)
		}
	}
	if a.sqlKind == sqlPostgres {
		a.sqlAttributes(tokens, w)
	}
}

// sqlAround are the tokens on both sides of one; the zero token where there is none.
func sqlAround(tokens []sqlToken, i int) (before, next sqlToken) {
	if i > 0 {
		before = tokens[i-1]
	}
	if i+1 < len(tokens) {
		next = tokens[i+1]
	}
	return before, next
}

func (a *assessor) sqlActs(why string, w word) { a.note(Mutate, 0, "sql.acts", why, w) }

// sqlDeed is what a statement does, beside reading, by a token between two others; empty
// if nothing. What is shown may have the name of a deed.
func (a *assessor) sqlDeed(t, before, next sqlToken, isShown bool) string {
	switch {
	case t.kind == 'w' && sqlActing[t.text] && (!isShown || next.text == "=") && next.text != ".":
		return "the statement holds " + strings.ToUpper(t.text) + ", which does not only read"
	case t.kind == 'p':
		return a.sqlSign(t, before, next)
	case t.kind != 'n' && sqlFiles[strings.ToLower(t.text)] && (next.text == "(" || a.sqlKind == sqlLite):
		return "the statement reaches files or programs by " + shown(t.text)
	}
	return ""
}

// sqlSign is what a statement does by a sign; empty if nothing.
func (a *assessor) sqlSign(sign, before, next sqlToken) string {
	switch {
	case sign.text == ":" && next == (sqlToken{'p', "="}):
		return "the statement sets a variable"
	case a.sqlKind != sqlPostgres || sign.text != "." || next.kind != 'w' && next.kind != 'q':
	case before == (sqlToken{'p', ")"}), before == (sqlToken{'p', "]"}):
		return "what follows the bracket may be a function that is called"
	}
	return ""
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
	own := sqlTables(tokens)
	for i, t := range tokens {
		if t != (sqlToken{'p', "."}) || i == 0 || i+1 >= len(tokens) {
			continue
		}
		if own[tokens[i-1].text] && !sqlTablePlace(tokens[:i-1]) && tokens[i+1].text != "*" {
			a.note(Mutate, 0, "sql.attribute", shown(tokens[i-1].text+"."+tokens[i+1].text)+" may be a function that is called with a row", w)
			return
		}
	}
}

// sqlTablePlace reports whether what follows the tokens is a table, or a part of its name.
func sqlTablePlace(before []sqlToken) bool {
	if len(before) == 0 {
		return false
	}
	switch before[len(before)-1].text {
	case "from", "join", ".":
		return true
	}
	return false
}

// sqlTables are the names of the tables, and the names that the statement gives them:
// whether one is somebody's own, and none of the catalog's.
func sqlTables(tokens []sqlToken) map[string]bool {
	own, lists := map[string]bool{}, sqlLists{false}
	for i, t := range tokens {
		if !lists.beforeTable(t) || i+1 >= len(tokens) {
			continue
		}
		table := tokens[i+1]
		catalog := table.kind == 'w' && (strings.HasPrefix(table.text, "pg_") || table.text == "information_schema")
		for _, name := range sqlNames(tokens[i+1:]) {
			own[name] = own[name] || !catalog
		}
	}
	return own
}

// sqlLists says, by open bracket, whether tables are listed there: a comma comes before
// one more.
type sqlLists []bool

// beforeTable goes on by a token and reports whether a table stands behind it.
func (l *sqlLists) beforeTable(t sqlToken) bool {
	top := len(*l) - 1
	switch {
	case t == (sqlToken{'p', "("}):
		*l = append(*l, false)
	case t == (sqlToken{'p', ")"}) && top > 0:
		*l = (*l)[:top]
	case t == (sqlToken{'p', ","}):
		return (*l)[top]
	case t == (sqlToken{'w', "from"}), t == (sqlToken{'w', "join"}):
		(*l)[top] = true
		return true
	case t.kind == 'w' && sqlAfterTables[t.text]:
		(*l)[top] = false
	}
	return false
}

// sqlAfterTables are words behind which no more tables are listed.
var sqlAfterTables = map[string]bool{
	"select": true, "where": true, "group": true, "having": true, "window": true, "order": true, "limit": true, "offset": true, "fetch": true,
	"union": true, "intersect": true, "except": true,
}

// sqlNames are the names of a table that stands at the front: its schema's, its own and
// the one that the statement gives it.
func sqlNames(tokens []sqlToken) []string {
	all := []string{tokens[0].text}
	for _, t := range tokens[1:min(5, len(tokens))] {
		if t == (sqlToken{'p', "."}) || t == (sqlToken{'w', "as"}) {
			continue
		}
		if t.kind != 'w' && t.kind != 'q' || sqlAfterTable[t.text] {
			break
		}
		all = append(all, t.text)
	}
	return all
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

// accounts judges the database that a client of MySQL opens: in one of its own it keeps who
// may sign in.
func (m *matching) accounts() {
	for _, w := range append(m.values("-D", "--database"), m.operands...) {
		if strings.EqualFold(w.text, "mysql") {
			m.a.note(Observe, Secret, "sql.accounts", "opens the database of the accounts and their passwords", w)
		}
	}
}
