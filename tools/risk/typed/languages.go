package typed

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// language is what a program reads line by line.
type language struct {
	name     string
	programs []string
	// options are those with which the program still reads the keys, and speaks this
	// language (see options); operands is how many it takes then.
	options  string
	operands int
	// prompt is what stands before the first line of an input, more before the others; a
	// group in prompt is not empty if a transaction is open. Nil: there is none.
	prompt, more func() *regexp.Regexp
	// line judges a line. Nil: inputs end with a semicolon, own judges lines that are
	// commands of the client's own (false: it is none), and statement the others.
	line      func(*session, string)
	own       func(*session, string) bool
	statement func(*session, string)
	exits     map[string]bool // lines that end the program
	holds     bool            // it holds what is lost with it
	repeats   bool            // an empty line runs the last one again
	pages     bool            // it may open a pager, which then reads the keys
}

// plain reports whether a program that was started with these arguments reads the keys in
// its language.
func (l *language) plain(argv []string) bool { return options(l.options, argv, l.operands) }

// re is a pattern that is compiled when it is first used.
func re(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// languages are all of them.
var languages = []language{
	{
		name: "psql", programs: []string{"psql"}, operands: 2, pages: true,
		options:   "U: h: p: d: P: X w W q A t x E username= host= port= dbname= no-psqlrc no-password password quiet no-align tuples-only expanded pset=",
		prompt:    re(`^[\w.-]+=([*!?]?)[#>] `),
		more:      re(`^[\w.-]+[-'"$(][*!?]?[#>] `),
		own:       psqlOwn,
		statement: psqlStatement,
		exits:     set(`\q exit quit`),
	},
	{
		name: "mysql", programs: []string{"mysql", "mariadb"}, operands: 1, holds: true, pages: true,
		options: `u: p? h: P: S: D: A C t s v user= password password= host= port= socket= database= no-auto-rehash safe-updates
			ssl ssl-mode= default-character-set= protocol=`,
		prompt:    re(`^(?:mysql|MySQL \[[\w.()-]+\]|MariaDB \[[\w.()-]+\])> `),
		more:      re("^ {4}[-'\"`]> "),
		own:       mysqlOwn,
		statement: mysqlStatement,
		exits:     set(`exit quit \q`),
	},
	{
		name: "sqlite3", programs: []string{"sqlite3", "sqlite"}, operands: 1, holds: true,
		options:   "-readonly -header -noheader -column -csv -json -line -list -box -table -markdown -html -quote -tabs -ascii -bail -interactive -separator= -nullvalue= -safe",
		prompt:    re(`^sqlite> `),
		more:      re(`^(?:   \.\.\.> |['"\[;(/*x0-9 ]{1,3}\.\.\.> )`),
		own:       sqliteOwn,
		statement: sqliteStatement,
		exits:     set(".quit .exit .q"),
	},
	{
		name: "redis-cli", programs: []string{"redis-cli", "valkey-cli", "keydb-cli"},
		options: "h: p: s: n: u: a: 2 3 -raw -no-raw -user= -pass= -tls -no-auth-warning raw no-raw user= pass= tls no-auth-warning insecure cacert= cert= key=",
		prompt:  re(`^(?:[\w.:-]+:\d+|redis [\w./-]+|valkey [\w./-]+)(?:\[\d+\])?> `),
		line:    redisLine,
		exits:   set("quit exit"),
	},
	{
		name: "mongosh", programs: []string{"mongosh", "mongo"}, operands: 1, holds: true,
		options: "u: p: quiet norc host= port= username= password= authenticationDatabase= tls",
		prompt:  re(`^(?:[\w-]+ )?(?:\[[\w: -]+\] )?[\w-]+> `),
		line:    mongoLine,
		exits:   set("exit quit exit() quit()"),
	},
	{
		name: "python3", programs: []string{"python3", "python", "python2", "pypy3"}, holds: true,
		options: "q i u B E I s S O", prompt: re(`^>>> `),
		line: calculates(pythonSum), exits: set("exit() quit() exit quit"),
	},
	{
		name: "node", programs: []string{"node", "nodejs"}, holds: true,
		options: "i interactive", prompt: re(`^> `),
		line: calculates(plainSum), exits: set(".exit"),
	},
	{
		name: "irb", programs: []string{"irb"}, holds: true,
		options: "f simple-prompt", prompt: re(`^(?:irb\(main\):\d+(?::\d+)?> |>> )`),
		line: calculates(plainSum), exits: set("exit quit"),
	},
	{
		name: "bc", programs: []string{"bc"}, holds: true,
		options: "l q mathlib quiet", line: calculates(bcLine), exits: set("quit halt"),
	},
	{
		name: "gdb", programs: []string{"gdb"}, operands: anyNumber, holds: true, repeats: true,
		options: "q p: -args args quiet -quiet -nx nx pid= -pid= core= -core=", prompt: re(`^\(gdb\) `),
		line: gdbLine, exits: set("q quit exit"),
	},
	{
		name: "sftp", programs: []string{"sftp"}, operands: 1,
		options: "P: i: 4 6 q C p r", prompt: re(`^sftp> `),
		line: sftpLine, exits: set("bye exit quit"),
	},
	{
		name: "ftp", programs: []string{"ftp", "tnftp", "lftp", "inetutils-ftp", "netkit-ftp"}, operands: 2,
		options: "4 6 p i n v", prompt: re(`^ftp> `),
		line: ftpLine, exits: set("bye exit quit"),
	},
}

// losing are signs of loss in the languages that are not read.
var losing = re(`(?i)\b(rmtree|unlink(sync)?|os\.remove|removedirs|rmsync|rmdir(sync)?|rm_r?f|file\.delete|fileutils|truncate|shred|` +
	`os\.(system|popen)\b.*\brm\b|flushall|flushdb|drop\s+(table|database)|delete\s+from|drop(database|collection)?\(|delete(many|one)\(|format\s+fs)\b`)

// calculates judges a line of an interpreter: arithmetic with numbers as sum knows it is a
// look, whatever else is not read.
func calculates(sum func(string) bool) func(*session, string) {
	return func(s *session, line string) {
		if !sum(line) {
			s.unread(line)
		}
	}
}

var (
	number      = `(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})`
	plainNumber = re(`^` + number + `$`)
	operators   = set("+ - * / % == != < > <= >= ( )")
)

// plainSum reports whether a line is arithmetic with numbers that any interpreter answers
// with a number or a truth value, soon.
func plainSum(line string) bool { return isSum(line, operators, 30) }

// pythonSum is plainSum with Python's division of integers.
func pythonSum(line string) bool {
	return !strings.HasPrefix(line, " ") && isSum(line, pythonOperators, 30)
}

var pythonOperators = set("+ - * / // % == != < > <= >= ( )")

// bcLine reports whether a line is arithmetic for bc, with its functions, a small power and
// the number of digits that it shows.
func bcLine(line string) bool {
	line = bcFunctions().ReplaceAllString(bcSettings().ReplaceAllString(line, ""), "(")
	if strings.Count(line, "^") > 1 {
		return false
	}
	return isSum(bcPower().ReplaceAllString(line, "*1"), operators, 30)
}

var (
	bcSettings  = re(`^\s*(?:scale|ibase|obase)\s*=\s*`)
	bcFunctions = re(`\b(?:sqrt|length|[scal])\(`)
	bcPower     = re(`\^\s*\d{1,3}\b`)
)

var sumToken = re(`^(?:` + number + `|//|==|!=|<=|>=|[-+*/%<>()])`)

// isSum reports whether a line is made of numbers and these operators alone, at most so
// many of them.
func isSum(line string, known map[string]bool, most int) bool {
	rest, last, values := strings.TrimSpace(line), "", 0
	for rest != "" {
		token := sumToken().FindString(rest)
		if token == "" || most == 0 {
			return false
		}
		value := plainNumber().MatchString(token)
		if !value && !known[token] || joined(last, token, value) {
			return false
		}
		if value {
			values++
		}
		rest, last, most = strings.TrimLeft(rest[len(token):], " "), token, most-1
	}
	return values > 0
}

// joined reports whether two tokens that stand side by side are no sum: two numbers, a
// power, a shift, a call.
func joined(last, token string, value bool) bool {
	switch token {
	case "*", "/", "-", "+", "<", ">":
		return token == last
	case "(":
		return plainNumber().MatchString(last) || last == ")"
	}
	return value && plainNumber().MatchString(last)
}

// words are a line's words without quotes; ok is false if it has some, or anything else
// that a client may read in its own way.
func words(line string) (all []string, ok bool) {
	all = strings.Fields(line)
	return all, len(all) > 0 && !slices.ContainsFunc(all, func(w string) bool { return !plainArgument().MatchString(w) })
}

var plainArgument = re(`^[A-Za-z0-9_./:=@,+%*?-]+$`)
