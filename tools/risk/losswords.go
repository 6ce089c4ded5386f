package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What a word says: programs that have commands of their own name them in a few dozen
// verbs, alone (purge), with what they act on (delete-topic, deleteTopic, topic:delete,
// deletetopic, db.drop()) and beside it (topic delete).

// words of a list, as a set.
func set(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(text) {
		words[w] = true
	}
	return words
}

var (
	// lossVerbs say that something is lost, whatever they act on.
	lossVerbs = set(`delete del remove rm rmi rmr rmtree destroy purge wipe erase zap expunge uninstall truncate prune terminate
		shred nuke obliterate deprovision unprovision decommission undefine deregister zeroize sanitize shutdown reboot poweroff
		powerdown powercycle hardreset reset discard teardown undeploy unpublish fence invalidate vacuum purify cleanse reinit
		reinitialize reimage forget evict revoke deleteall delnode rrdelete drop dropall wipeall eraseall purgeall removeall
		eradicate factoryreset clearconfig undochange revert rmv uninit deinit autoremove autopurge depclean halt assassinate obliviate`)
	// lossAlone say so only as the whole word.
	lossAlone = set(`rb detach flush empty gc garbage-collect distclean mrproper zero-log strip scratch unregister racresetcfg clrsel clrraclog systemerase fsd clear factory factorydefaults repurpose unsafe-bootstrap cycle deltree force-leave yank unpublish`)
	// lossGone are states in which something is no longer there: pkg.removed.
	lossGone = set(`absent removed purged deleted`)
	// lossOf are verbs that lose what some of these things hold, and nothing with others.
	lossOf = map[string]map[string]bool{
		"clear":     set(`all backlog config configuration data db database history keys log logs queue secret secret-tool queues sel snapshot snapshots table tables trash wallet`),
		"clean":     set(`all backup backups ca db database schema flyway orphan orphans snapshot snapshots`),
		"cleanup":   set(`all backup backups db database orphan orphans snapshot snapshots trash trashbin duplicity`),
		"expire":    set(`pgbackrest barman reflog backup backups snapshot snapshots`),
		"cl":        set(`wevtutil`),
		"dm":        set(`cyradm`),
		"ban":       set(`varnishadm`),
		"close":     set(`account`),
		"kill":      set(`controller model cluster`),
		"leave":     set(`realm swarm cluster domain ads`),
		"empty":     set(`all bucket trash`),
		"flush":     set(`all db queue queues data tables`),
		"power":     set(`off cycle down reset soft`),
		"rollback":  set(`db migrate migration migrations schema database snapshot liquibase`),
		"off":       set(`power load ol pdu outlet outlets chassis ups plug relay port`),
		"rebuild":   set(`server instance vm droplet linode linodes node machine host baremetal`),
		"down":      set(`kompose tilt goose dbmate db migrate migration migrations schema`),
		"undo":      set(`db migrate migration migrations schema`),
		"fresh":     set(`migrate db`),
		"refresh":   set(`migrate`),
		"downgrade": set(`alembic db migrate migration migrations`),
	}
	// lossObjects are what verbs are written together with: deletetopic, rmuser, userdel.
	lossObjects = set(`user users group groups db database table topic topics queue queues vhost node nodes snapshot snapshots host key
		keys bucket volume volumes vol pool disk image images container containers domain cert record policy rule index pod pods
		service server vm vms account member repo repository branch tag tags all log logs data files file object objects partition
		consumer stream exchange binding permissions acl cluster device dir txn txns tree job jobs cfg config role zone princ pol principal repo media pvid dev link br vd ld lun`)
	// asking begin words, or stand before words, that name what is looked at.
	asking = set(`list ls get show describe view inspect help find search query explain check verify validate lint count status version info dump
		print whoami cat test preview lookup has is can no not non skip keep ignore exclude include without set unset add create new install apply put
		rename enable disable start restart reload resume stat edit tldr whatis apropos`)
)

// lossSteps bounds how many parts of a word are looked at.
const lossSteps = 8

// parts are the words of which a word is made: at dots, dashes and colons, and where a
// capital follows a small letter.
func parts(text string) []string {
	var all []string
	from := 0
	cut := func(to int) {
		if to > from && len(all) < lossSteps {
			all = append(all, strings.ToLower(text[from:to]))
		}
	}
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		case c >= 'A' && c <= 'Z':
			if i > from && text[i-1] >= 'a' && text[i-1] <= 'z' {
				cut(i)
				from = i
			}
		default:
			cut(i)
			from = i + 1
		}
	}
	cut(len(text))
	return all
}

// says reports whether a word in the place of a command says that something is lost.
// before is the word in front of it, "" for none.
func says(text, before string) bool {
	if !mayName(text) {
		return false
	}
	if lossAlone[text] {
		return true
	}
	if key, value, ok := strings.Cut(text, "="); ok {
		return lossState(key, value) || (value == "true" || value == "yes" || value == "1") && says(key, "")
	}
	all := parts(text[strings.LastIndexByte(text, '/')+1:])
	if len(all) == 0 || asking[all[0]] && len(all) > 1 {
		return false
	}
	last := all[len(all)-1]
	if glued(all[0]) || glued(last) || lossGone[last] && strings.IndexByte(text, '.') > 0 {
		return true
	}
	before = strings.ToLower(before)
	for i, p := range all {
		if lossVerbs[p] || lossPair(p, before, all, i) { // db.users.drop(1), pg:backups:delete:all, batch-delete-image
			return true
		}
	}
	return len(all) == 1 && (lossOf[before][last] || powers(last))
}

// mayName reports whether a word has the form of a command's name.
func mayName(text string) bool {
	switch {
	case text == "" || text[0] == '-' || text == "DROP": // a firewall's
		return false
	case len(text) > maxLabel && !(strings.IndexByte(text, ':') > 0 && strings.IndexByte(text, ':') <= maxLabel): // deletevd:Disk.Virtual.0:…
		return false
	case strings.ContainsAny(text, " /\n"):
		return actionPath(text) && !fileName(text)
	}
	return !fileName(text)
}

// powers reports whether a word ends in one for the power state: graceshutdown.
func powers(text string) bool {
	for _, verb := range [...]string{"shutdown", "reboot", "poweroff", "powerdown", "powercycle"} {
		if front, ok := strings.CutSuffix(text, verb); ok && front != "no" {
			return true
		}
	}
	return false
}

// lossPair reports whether a verb loses something of what stands before or beside it.
func lossPair(verb, before string, all []string, at int) bool {
	of := lossOf[verb]
	if of == nil {
		return false
	}
	for i, p := range all {
		if i != at && of[p] {
			return true
		}
	}
	return of[before]
}

// glued reports whether a word is a verb of loss and what it acts on: rmuser, userdel.
func glued(text string) bool {
	for _, verb := range [...]string{"delete", "remove", "destroy", "purge", "erase", "wipe", "drop", "clear", "flush", "reset", "del", "rm", "truncate"} {
		if object, ok := strings.CutPrefix(text, verb); ok && lossObjects[object] {
			return true
		}
		if object, ok := strings.CutSuffix(text, verb); ok && (verb == "del" || verb == "delete" || verb == "remove" || verb == "rm") && lossObjects[object] {
			return true
		}
	}
	return false
}

// lossState reports whether a setting says that something is to be gone: state=absent,
// ensure=purged, action=delete.
func lossState(key, value string) bool {
	value = strings.ToLower(value)
	switch strings.ToLower(strings.TrimLeft(key, "-")) {
	case "state", "ensure", "status":
		return value == "absent" || value == "purged" || value == "deleted" || value == "removed"
	case "action", "op", "operation", "method", "command", "cmd", "verb", "request", "task", "do", "run", "function", "subcommand", "reset_type", "resettype":
		return lossVerbs[value] || glued(value)
	}
	return false
}

// actionPath reports whether a word with slashes is no path but a group and an action.
func actionPath(text string) bool {
	return text[0] != '/' && text[0] != '.' && text[0] != '~' && strings.Count(text, "/") == 1 && !strings.ContainsAny(text[strings.IndexByte(text, '/'):], " \n.")
}

var fileEnding = set(`c cc cfg conf cpp cs csv db deb gz html img ini iso jar java js json key log md pem php pl ps1 py rb rpm rs
	service sh so socket sql sqlite tar target tgz timer toml ts txt war xml yaml yml zip`)

// fileName reports whether a word ends as files do.
func fileName(text string) bool {
	dot := strings.LastIndexByte(text, '.')
	return dot > 0 && fileEnding[text[dot+1:]]
}

// objects reports whether the words behind this one name what is looked at or made.
func objects(text string) bool {
	if asking[text] {
		return true
	}
	verb, _, cut := strings.Cut(text, "-")
	return cut && asking[verb]
}

// lossOptions are options that say that something is lost, by their first part.
var (
	lossOptions = set(`delete remove purge wipe erase destroy zap uninstall rmdir rm rmr expunge del drop cfgclr cfgldel undochange
		deregister obliterate nuke depclean unmerge autoremove unregister`)
	// lossOptionsAlone say so of a program that acts, by their whole name.
	lossOptionsAlone = set(`clear empty flush reset prune discard reboot poweroff power-off shutdown halt factory invalidate restore overwrite overwrite-destination discard-my-data discard-changes factory-reset clear-all clear-log clear-logs clear-history flush-all
		reset-all clean-all empty-trash replace-all format-disk`)
	// lossAdmitted are options by which a program has its user say that it is known.
	lossAdmitted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^--?(yes-i-|i-(really|know|understand|am)|.*(data-?loss|lose-data|loses?-data)|skip-final-snapshot|.*destructive|no-preserve-root|dangerous|force-(delete|remove|reset|destroy))`)
	})
)

// saysOption reports whether an option says that something is lost; acts is set for a
// program that is known to change things, or of which nothing is known.
func saysOption(text string, acts bool) bool {
	bare := strings.TrimLeft(text, "-/")
	name, value, given := strings.Cut(bare, "=")
	if len(text)-len(bare) > 2 || len(name) < 2 || len(name) > maxLabel || denied[value] {
		return false
	}
	if given && lossState(name, value) {
		return true
	}
	all := parts(name)
	name = strings.ToLower(name)
	if len(all) == 0 || name == "rm" && strings.HasPrefix(text, "--") { // --rm: of what is made here, when it ends
		return false
	}
	if !asking[all[0]] && slices.ContainsFunc(all, func(p string) bool { return lossOptions[p] }) {
		return true
	}
	return len(all) == 1 && len(name) > 4 && glued(name) || acts && lossOptionsAlone[name] || lossAdmitted().MatchString(text)
}

// denied are values that take an option back.
var denied = set(`false no 0 none`)

// onlyAsked reports whether a program of which nothing is known is asked for its help, or
// what it would do.
func onlyAsked(words []word) bool {
	if last := words[len(words)-1].text; last == "--help" || last == "-h" && len(words) < 5 {
		return true
	}
	if len(words) > 1 && (words[1].text == "list" || words[1].text == "status" || strings.HasPrefix(words[1].text, "--list") || strings.HasPrefix(words[1].text, "--preview") || words[1].text == "--version") {
		return !slices.ContainsFunc(words[2:], func(w word) bool { return strings.HasPrefix(w.text, "-") && saysOption(w.text, false) })
	}
	return slices.ContainsFunc(words, func(w word) bool {
		switch w.text {
		case "--dry-run", "--dryrun", "--dry-run=client", "--dry-run=server", "--dry-run=true", "--simulate", "--noop", "--what-if", "--whatif":
			return true
		}
		return false
	})
}

// lossWords marks words in which a client would name what it wants done, if they say that
// something is lost. before is the word in front of them.
func (a *assessor) lossWords(words []word, before string) {
	for _, w := range words {
		if strings.HasPrefix(w.text, "-") {
			if w.known() && saysOption(w.text, true) {
				a.lossArgument(w)
			}
			continue
		}
		if w.known() && (says(w.text, before) || mayLose(w.text) && lossHint().MatchString(w.text)) {
			a.lossArgument(w)
		}
		if before = w.text; objects(w.text) {
			return
		}
	}
}

// lossArgument records a word that says that something is lost.
func (a *assessor) lossArgument(w word) {
	a.note(Destroy, 0, "argument.loss", "reads as if it removes something: "+shown(w.text), w)
}
