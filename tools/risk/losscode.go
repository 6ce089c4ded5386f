package risk

import (
	"regexp"
	"strings"
	"sync"
)

// lossStems are what every text has in it that lossHint or lossCode finds, by their first
// byte: a look for these costs less.
var lossStems = sync.OnceValue(func() *[256][]string {
	var by [256][]string
	for _, stem := range []string{
		"rm", "del", "remov", "unlink", "trunc", "drop", "flush", "wipe", "eras", "destroy", "purge", "shutdown", "reboot", "poweroff", "powercycle",
		"forceoff", "terminat", "mkfs", "dd", "absent", "restore", "clear", "install", "reset", "format", "stop-", "restart-", "shred", "open(", ",d",
		"%d", "rimraf", "1,$d", "accept_data",
	} {
		by[stem[0]] = append(by[stem[0]], stem)
	}
	return &by
})

// mayLose reports whether a text has anything of what says in a text that something is lost.
func mayLose(text string) bool {
	stems := lossStems()
	for i := range len(text) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		for _, stem := range stems[c] {
			if len(text)-i >= len(stem) && strings.EqualFold(text[i:i+len(stem)], stem) {
				return true
			}
		}
	}
	return false
}

// textLoses reports whether a text reads as code, a statement or a command that loses
// something.
func textLoses(text string) bool {
	return mayLose(text) && (lossHint().MatchString(text) || strings.ContainsAny(text, "( |\n\"'") && lossCode().MatchString(text))
}

// lossCode is loss in a program for an interpreter: calls that remove files or what a
// service holds, and programs started that do.
var lossCode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`['"](?:rm|shred|mkfs\S*|wipefs|dropdb|reboot|poweroff)(?:['"]\s*,| )|ensure\s*=>\s*['"]?(?:absent|purged)|` +
		`(?i)\b(?:unlink|rmdir|truncate|rmtree|remove_tree|ftruncate|removesync|removefile)\s*\(|\b(?:unlink|rmdir|rmtree)\s+(?:['"$@]|glob|if\b|\w+\()|` +
		`\b(?:os\.(?:remove|unlink|rmdir|removedirs|truncate)|deno\.remove\w*|file\.(?:remove|delete)|dir\.(?:delete|rmdir|unlink)|files\.delete\w*|pathname\S*\.delete|fileutils\.\w*rm\w*)\b|` +
		`\bfile\s+delete\b|\brm\s*\(\s*['"]|\bopen\([^()]*['"]w[b+]*['"]\s*\)\s*\.close|` +
		`[.>:](?:delete|destroy|unlink|drop|truncate|purge|flush_?all|flush_?db|terminate|deletedir|deleterecursively|remove_?all)(?:_[a-z_]+|all|many|one)?!?\s*(?:\(|$|['"; ]\s*$)|` +
		`\b(?:delete_all|destroy_all|deletemany|delete_(?:bucket|namespaced_\w+|objects?|item|table|topic|queue|index|stack|volume|snapshot|user|key)|terminate_instances|deletebucket)\b|` +
		`\b(?-i:(?:Remove|Clear|Uninstall|Reset|Format)-[A-Z]\w+|(?:Stop|Restart)-(?:Computer|VM))\b|(?:^|['"\n|])\s*(?:,|%|1,\$)d(?:elete)?\s*(?:$|[|'"\n])|\bdelete-(?:directory|file)\b|` +
		`\baccept_data_loss"?\s*:\s*"?true|\berase_devices\b|` +
		`"(?:action|method|op|command|cmd|type|operation|verb|event|request)"\s*:\s*"[\w.]*(?:delete|remove|destroy|purge|terminate|wipe|forceoff|powercycle|shutdown|reboot)\w*"|` +
		`\bdelete\s+from\b|\btruncate\s+(?:table\s+)?\w+\s*(?:;|$|cascade)|\balter\s+\w+\s+\S+\s+drop\s|\bdrop\s+(?:keyspace|collection|measurement|role|view|function|trigger|partition|tablespace|warehouse|bucket|sequence|column|materialized|publication|extension|server|type|procedure|retention|series|space|stream|stage|task)\b`)
})

// fedLines bounds how many lines of what a program is fed are looked at, and fedWords how
// many words a line for a service has: more is a message.
const (
	fedLines = 64
	fedWords = 5
)

// fedLoss looks for loss in what an interpreter, a program that carries its input away or one
// of which nothing is known is fed.
func (a *assessor) fedLoss(name word) {
	f := a.feeding
	if f == nil || !f.known || !a.spend(costRun+len(f.text.text)/16, name) {
		return
	}
	text := f.text.text[:min(len(f.text.text), maxWord)]
	if textLoses(text) || applianceLoss().MatchString(text) {
		a.lossArgument(f.text)
		return
	}
	if line := lossCommand(text); line != "" {
		at := f.text
		at.text = line
		a.lossArgument(at)
	}
}

// lossCommand is the first line of a text for a client that says that something is lost;
// "" if there is none.
func lossCommand(text string) string {
	left := fedLines
	for line := range strings.FieldsFuncSeq(strings.ReplaceAll(text, `\r`, "\n"), func(r rune) bool { return r == '\n' || r == '\r' || r == ';' }) {
		if left--; left < 0 {
			return ""
		}
		words := strings.Fields(line)
		if len(words) == 0 || len(words) > fedWords {
			continue
		}
		if prose(words[0]) {
			continue
		}
		if says(words[0], "") || len(words) > 1 && !objects(words[0]) && says(words[1], words[0]) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// prose reports whether a word begins a sentence rather than a command.
func prose(text string) bool {
	return len(text) > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z' && strings.ToLower(text[1:]) == text[1:]
}
