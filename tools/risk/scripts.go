package risk

import (
	"regexp"
	"strings"
	"sync"
)

// awk accepts a program that only prints to its output: no redirection, pipe,
// getline, system, or anything that is evaluated indirectly.
func (a *assessor) awk(w word) {
	if !w.known() {
		a.unread(Mutate, Opaque, "awk.dynamic", "the awk program is not known", w)
		return
	}
	readings := awkReadings(w.text)
	if len(readings) == 0 {
		a.unread(Mutate, Opaque, "awk.unreadable", "the awk program cannot be read", w)
	}
	for _, code := range readings {
		a.awkJudge(code, w)
	}
}

// awkJudge judges the code of one reading.
func (a *assessor) awkJudge(code string, w word) {
	if awkCalls().MatchString(code) || strings.ContainsAny(code, "@\\`") || strings.Contains(code, "|&") {
		a.note(Mutate, Opaque, "awk.runs", "the awk program can run commands or read other files", w)
		a.hints([]word{w})
	}
	if strings.Contains(strings.ReplaceAll(code, "||", ""), "|") {
		a.note(Mutate, Opaque, "awk.pipe", "the awk program starts another program", w)
	}
	if awkWrites(code) {
		a.note(Mutate, 0, "awk.writes", "the awk program may write a file", w)
	}
	if strings.Contains(code, "ENVIRON") || strings.Contains(code, "PROCINFO") || strings.Contains(code, "SYMTAB") {
		a.note(Observe, Secret, "awk.environment", "the awk program reads the environment", w)
	}
	if strings.Contains(code, "ARGV") || strings.Contains(code, "ARGC") {
		a.note(Mutate, 0, "awk.files", "the awk program chooses its own files", w)
	}
}

var awkCalls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(system|getline|close|fflush|load|include|namespace|extension)\b`)
})

// maxReadings bounds in how many ways an awk program's slashes are read.
const maxReadings = 16

// awkReadings are the ways to read a program, each without its strings, patterns
// and comments. A slash after a value may divide or start a pattern; both are
// tried, and a reading in which a string or a pattern does not end is none.
// nil when nothing can be said.
func awkReadings(text string) []string {
	type state struct {
		at   int
		code string
	}
	open := []state{{}}
	var done []string
	for len(open) > 0 {
		if len(open)+len(done) > maxReadings {
			return nil
		}
		now := open[len(open)-1]
		open = open[:len(open)-1]
		code, at, ok := awkScan(text, now.at, now.code)
		switch {
		case !ok:
		case at == len(text):
			done = append(done, code)
		default: // a slash after a value
			open = append(open, state{at + 1, code + " / "})
			if end := awkPattern(text, at); end > 0 {
				open = append(open, state{end, code + " R "})
			}
		}
	}
	return done
}

// awkScan reads on from a place, up to the end or to a slash that can be read in
// two ways.
func awkScan(text string, i int, code string) (string, int, bool) {
	b := []byte(code)
	for i < len(text) {
		c := text[i]
		switch {
		case c == '#':
			return "", 0, false // a comment can hide where a string ends
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) {
				return "", 0, false
			}
			b = append(b, " S "...)
		case c == '/':
			trimmed := strings.TrimRight(string(b), " \t\n")
			if trimmed != "" && (awkValue(trimmed[len(trimmed)-1])) {
				return string(b), i, true
			}
			end := awkPattern(text, i)
			if end <= 0 {
				return "", 0, false
			}
			b, i = append(b, " R "...), end
			continue
		default:
			b = append(b, c)
		}
		i++
	}
	return string(b), len(text), true
}

// awkPattern returns where the pattern that starts at i ends, or 0: a bracket may
// hold a slash, so patterns with one only count when the bracket holds none.
func awkPattern(text string, i int) int {
	for i++; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			end := strings.IndexByte(text[i:], ']')
			if end < 2 || strings.ContainsAny(text[i+1:i+end], "/[\\\n") || text[i+1] == '^' && end < 3 {
				return 0
			}
			i += end
		case '/':
			return i + 1
		}
	}
	return 0
}

func awkValue(c byte) bool {
	return c == ')' || c == ']' || c == '_' || c == '+' || c == '-' || c == '.' ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var awkPrint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bprintf?\b[^;}]*>`) })

// awkWrites reports an output redirection: a > after print that is not inside
// parentheses, told apart conservatively.
func awkWrites(code string) bool { return awkPrint().MatchString(code) }

// sedSafe are scripts that print, delete, quit or substitute and nothing else.
var sedCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:(?:\d+|\$|/(?:[^/\\\n\[]|\\.|\[\^?[^\[\]/\\\n]+\])*/I?)(?:\s*,\s*[+~]?(?:\d+|\$|/(?:[^/\\\n\[]|\\.|\[\^?[^\[\]/\\\n]+\])*/I?))?\s*!?\s*)?(?:[pdqQ=nNgGhHxPDlz]|\{|\}|q\d+)?\s*$`)
})

var sedSubstitute = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:(?:\d+|\$|/(?:[^/\\\n\[]|\\.|\[\^?[^\[\]/\\\n]+\])*/I?)(?:\s*,\s*[+~]?(?:\d+|\$|/(?:[^/\\\n\[]|\\.|\[\^?[^\[\]/\\\n]+\])*/I?))?\s*!?\s*)?s([/|,#:@%!_])`)
})

var sedOpen = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:(?:\d+|\$|/(?:[^/\\\n\[]|\\.|\[\^?[^\[\]/\\\n]+\])*/I?)(?:\s*,\s*[+~]?(?:\d+|\$|/(?:[^/\\\n\[]|\\.|\[\^?[^\[\]/\\\n]+\])*/I?))?\s*!?\s*)?\{`)
})

// sed accepts a script when every command is one of the harmless ones.
func (a *assessor) sed(w word) {
	if !w.known() {
		a.unread(Mutate, Opaque, "sed.dynamic", "the sed script is not known", w)
		return
	}
	rest := w.text
	for rest != "" {
		var ok bool
		if rest, ok = sedStep(rest); !ok {
			a.unread(Mutate, 0, "sed.script", "the sed script is not known to be harmless: it could write files or run programs", w)
			if sedRuns().MatchString(w.text) {
				a.note(Mutate, Opaque, "sed.runs", "the sed script may run programs", w)
			}
			return
		}
	}
}

var sedRuns = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[;{}\s\d])e(\s|$)|/[gpiI0-9]*e`) })

// sedStep takes one command off a script.
func sedStep(script string) (string, bool) {
	if m := sedSubstitute().FindStringSubmatch(script); m != nil {
		body := script[len(sedSubstitute().FindString(script)):]
		for part := 0; part < 2; part++ {
			end := sedPart(body, m[1][0])
			if end < 0 {
				return "", false
			}
			body = body[end+1:]
		}
		flags := len(body) - len(strings.TrimLeft(body, "gpiI0123456789"))
		body = strings.TrimLeft(body[flags:], " \t")
		if body == "" {
			return "", true
		}
		if body[0] == ';' || body[0] == '\n' || body[0] == '}' {
			return strings.TrimPrefix(strings.TrimPrefix(body, ";"), "\n"), true
		}
		return "", false
	}
	if open := sedOpen().FindString(script); open != "" {
		return script[len(open):], true
	}
	end := strings.IndexAny(script, ";\n")
	one, rest := script, ""
	if end >= 0 {
		one, rest = script[:end], script[end+1:]
	}
	return rest, sedCommand().MatchString(strings.TrimRight(one, "} \t"))
}

// sedPart finds the delimiter that ends a part of s///; brackets and newlines
// make it undecidable here.
func sedPart(s string, delimiter byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n', '[':
			if s[i] == '\n' || !plainBracket(s[i:], delimiter) {
				return -1
			}
		case delimiter:
			return i
		}
	}
	return -1
}

// plainBracket reports whether a bracket closes before the delimiter could be
// meant by it.
func plainBracket(s string, delimiter byte) bool {
	end := strings.IndexByte(s[1:], ']')
	return end > 0 && strings.IndexByte(s[1:end+1], delimiter) < 0 && strings.IndexByte(s[1:end+1], '[') < 0 && s[1] != '^' ||
		end > 1 && s[1] == '^' && strings.IndexByte(s[2:end+1], delimiter) < 0 && strings.IndexByte(s[2:end+1], '[') < 0
}

var (
	sqlDestroys = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(drop|truncate|delete\s+from|reset\s+(?:master|slave|replica)|purge|flushall|flushdb|shutdown|deletemany|deleteone|dropdatabase|dropcollection|delete)\b|(drop|delete|truncate|purge|unlink)_?\w*\s*\(`)
	})
	sqlSecret = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(password|passwd|secret|token|pg_shadow|pg_authid|pg_user_mapping|subconninfo|pg_subscription\b|primary_conninfo|\\deu\+|\\drs\+|mysql["\x60]?\s*\.\s*["\x60]?(user|servers|global_priv)|use\s+["\x60]?mysql\b|slave_master_info|system_auth\.|\bsystem\.users\b|sql_logins|syslogins|sys\.user\$|credential|api_?key|authentication_string|create\s+user)`)
	})
)

// sqlEscape is how clients of databases start a program of the host.
var sqlEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\\!|\.shell\b|\.system\b|\bto\s+program\b|\bfrom\s+program\b|\\g\w*\s*\||\bxp_cmdshell\b`)
})

// sqlQuiet are functions without effect, and keywords that a bracket may follow.
var sqlQuiet = map[string]bool{
	"in": true, "values": true, "as": true, "over": true, "and": true, "or": true, "where": true, "from": true, "not": true,
	"exists": true, "on": true, "using": true, "filter": true, "by": true, "cast": true, "select": true, "any": true, "all": true,
	"join": true, "union": true, "case": true, "when": true, "then": true, "else": true, "limit": true, "having": true, "interval": true,
	"count": true, "sum": true, "avg": true, "min": true, "max": true, "now": true, "version": true, "coalesce": true, "nullif": true,
	"round": true, "floor": true, "ceil": true, "abs": true, "lower": true, "upper": true, "length": true, "substring": true,
	"substr": true, "concat": true, "replace": true, "trim": true, "left": true, "right": true, "row_number": true, "rank": true,
	"lag": true, "lead": true, "string_agg": true, "array_agg": true, "group_concat": true, "age": true, "extract": true,
	"date": true, "date_trunc": true, "date_format": true, "to_char": true, "timestampdiff": true, "datediff": true, "unix_timestamp": true,
	"from_unixtime": true, "curdate": true, "current_database": true, "database": true, "user": true, "pg_size_pretty": true,
	"pg_database_size": true, "pg_total_relation_size": true, "pg_relation_size": true, "pg_table_size": true, "pg_indexes_size": true,
	"pg_is_in_recovery": true, "pg_postmaster_start_time": true, "pg_current_wal_lsn": true, "pg_last_wal_receive_lsn": true,
	"pg_last_wal_replay_lsn": true, "pg_last_xact_replay_timestamp": true, "pg_wal_lsn_diff": true, "pg_blocking_pids": true,
	"greatest": true, "least": true, "if": true, "ifnull": true, "distinct": true, "format": true, "strftime": true, "datetime": true,
	"table_info": true, "hex": true, "md5": true, "explain": true, "row": true, "group": true, "partition": true, "within": true, "sets": true,
	"json_build_object": true, "json_agg": true, "jsonb_agg": true, "json_array_length": true, "jsonb_array_length": true, "to_timestamp": true,
	"array_length": true, "cardinality": true, "array_to_string": true, "unnest": true, "generate_series": true, "regexp_replace": true, "regexp_matches": true,
	"split_part": true, "position": true, "strpos": true, "ltrim": true, "rtrim": true, "lpad": true, "rpad": true, "reverse": true, "repeat": true,
	"initcap": true, "char_length": true, "octet_length": true, "bool_or": true, "bool_and": true, "array": true, "percentile_cont": true,
	"percentile_disc": true, "stddev": true, "variance": true, "first_value": true, "last_value": true, "ntile": true, "dense_rank": true,
	"mod": true, "power": true, "sqrt": true, "sign": true, "trunc": true, "log": true, "ln": true, "exp": true,
	"current_setting": true, "current_schema": true, "current_schemas": true, "to_regclass": true, "format_type": true, "obj_description": true,
	"col_description": true, "pg_get_userbyid": true, "pg_get_indexdef": true, "pg_get_constraintdef": true, "pg_get_viewdef": true,
	"pg_get_expr": true, "pg_get_functiondef": true, "pg_table_is_visible": true, "pg_tablespace_size": true, "pg_stat_get_activity": true,
	"pg_backend_pid": true, "pg_conf_load_time": true, "pg_current_wal_insert_lsn": true, "pg_current_wal_flush_lsn": true,
	"pg_is_wal_replay_paused": true, "pg_walfile_name": true, "pg_control_checkpoint": true, "pg_column_size": true, "txid_current_if_assigned": true,
	"inet_server_addr": true, "inet_server_port": true, "inet_client_addr": true, "has_table_privilege": true, "has_database_privilege": true,
	"justify_interval": true, "make_interval": true, "clock_timestamp": true, "statement_timestamp": true, "unixepoch": true, "julianday": true,
	"time": true, "typeof": true, "instr": true, "printf": true, "total": true, "iif": true, "timediff": true, "date_add": true, "date_sub": true,
	"curtime": true, "utc_timestamp": true, "sec_to_time": true, "concat_ws": true, "hour": true, "minute": true, "day": true, "month": true, "year": true,
	"week": true, "inet_ntoa": true, "inet_aton": true, "json_extract": true, "json_unquote": true, "countif": true, "sumif": true, "uniq": true,
	"uniqexact": true, "quantile": true, "formatreadablesize": true, "todate": true, "todatetime": true, "tostartofhour": true, "tostartofminute": true,
	"tostartofday": true, "any_value": true, "mean": true, "last": true, "first": true, "spread": true, "derivative": true, "non_negative_derivative": true,
	"row_count": true, "found_rows": true, "connection_id": true, "schema": true, "session_user": true, "current_user": true,
}

// sqlKeyword are those of them that are no functions: quoted, they may be some.
var sqlKeyword = map[string]bool{
	"in": true, "values": true, "as": true, "over": true, "and": true, "or": true, "where": true, "from": true, "not": true, "exists": true, "on": true,
	"using": true, "filter": true, "by": true, "select": true, "any": true, "all": true, "join": true, "union": true, "case": true, "when": true,
	"then": true, "else": true, "limit": true, "having": true, "distinct": true, "explain": true, "row": true, "group": true, "partition": true,
	"within": true, "sets": true, "array": true, "cast": true, "interval": true,
}

// sqlMeta are psql's commands that describe.
var sqlMeta = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\\(d[a-zA-Z]{0,3}\+?|l\+?|conninfo|dt\+?|z)(\s+[A-Za-z0-9_.*]+)?$`)
})

// sqlDot are commands of SQLite's shell that describe.
var sqlDot = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.(tables|schema|indexes|indices|databases|fullschema|dbinfo|show|version)(\s+[A-Za-z0-9_.%]+)?$`)
})

// jqReaches are the names by which programs of jq and its kin reach the
// environment, other files and programs; a field of the same name does not count.
var jqReaches = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[^.\w$])\$?(\w*env\w*|\w*load\w*|\w*eval\w*|import|include|modulemeta|get_search_list|input_filename|system|exec|\$__prog_args)\b|\$ENV|\$__prog`)
})

// jq judges a jq or yq program: it can only reach the environment, other files
// and modules.
func (a *assessor) jq(w word) {
	if !w.known() && !w.quoted {
		a.unread(Mutate, 0, "argument.dynamic", "the program is not known", w)
	}
	if !w.known() || jqReaches().MatchString(jqKeys().ReplaceAllString(w.text, "$1 ")) {
		a.note(Observe, Secret, "jq.environment", "the program may show the environment or other files", w)
	}
}

// jqKeys are names of fields: behind a dot, or before a colon in braces.
var jqKeys = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([{,]\s*)[A-Za-z_]\w*\s*:`) })
