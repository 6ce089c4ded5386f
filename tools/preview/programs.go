package preview

import (
	"path"
	"slices"
	"strings"
)

var programs = map[string]derive{
	"rm": rm, "unlink": listed, "rmdir": listed, "shred": listed, "truncate": listed, "chmod": owned, "chown": owned, "chgrp": owned,
	"find": find, "rsync": rsync, "mv": moved, "cp": moved, "install": moved, "ln": moved, "sed": sed,
	"systemctl": systemctl, "service": service,
	"apt": apt, "apt-get": apt, "dnf": dnf, "yum": dnf, "kubectl": kubectl,
	"docker": docker, "podman": docker, "kill": kill, "pkill": pkill, "killall": killall,
	"dd": dd, "mkfs": device, "wipefs": device, "umount": unmount, "userdel": user, "usermod": user, "deluser": user, "passwd": user,
	"reboot": who, "poweroff": who, "halt": who, "shutdown": who, "ip": ip, "crontab": crontab,
	"mkfs.ext4": device, "mkfs.xfs": device, "mkfs.vfat": device, "mkswap": device, "parted": device, "fdisk": device, "sgdisk": device,
}

func rm(_ string, args []string) []Probe {
	options, names := parted(args)
	if !has(options, "r", "--recursive") && !has(options, "R") {
		return list(names)
	}
	return recursive("what would be removed", names)
}

// recursive counts what lies below names, and how large it is.
func recursive(what string, names []string) []Probe {
	if !plainNames(names) {
		return nil
	}
	return []Probe{
		{what + ", files and folders", line("find", names) + " | wc -l"},
		{"how large that is", line("du -shc --", names)},
	}
}

// plainNames reports whether there are names, and none that find reads as
// something else.
func plainNames(names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(strings.Trim(n, `'"`), "-") })
}

func list(names []string) []Probe {
	if len(names) == 0 {
		return nil
	}
	return []Probe{{"what is there", line("ls -ld --", names)}}
}

func listed(_ string, args []string) []Probe {
	_, names := parted(args)
	return list(names)
}

// owned is chmod and chown: the first operand is no file.
func owned(_ string, args []string) []Probe {
	options, names := parted(args)
	if len(names) < 2 {
		return nil
	}
	if has(options, "R", "--recursive") {
		return recursive("what would be changed", names[1:])[:1]
	}
	return list(names[1:])
}

// find without what it does to what it finds.
func find(program string, args []string) []Probe {
	var kept []string
	acts := false
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-delete":
			acts = true
		case "-exec", "-execdir", "-ok", "-okdir":
			acts = true
			for i < len(args) && !slices.Contains([]string{`\;`, "';'", `";"`, "+"}, args[i]) {
				i++
			}
		default:
			kept = append(kept, args[i])
		}
	}
	if !acts {
		return nil
	}
	return []Probe{
		{"how many it finds", line(program, kept) + " | wc -l"},
		{"the first of them", line(program, kept) + " | head -n 20"},
	}
}

func rsync(program string, args []string) []Probe {
	return []Probe{{"what would be transferred or deleted", line(program+" -n --itemize-changes", args)}}
}

// moved is what writes to its last operand.
func moved(_ string, args []string) []Probe {
	options, names := parted(args)
	if len(names) < 2 || has(options, "t", "--target-directory") {
		return nil
	}
	to := names[len(names)-1]
	probes := []Probe{{"what is at the destination", "ls -ld -- " + to}}
	if from := names[0]; len(names) == 2 && !strings.ContainsAny(from+to, `'"*?`) {
		probes = append(probes, Probe{"what would lie in it, if that is a folder", "ls -ld -- " + path.Join(to, path.Base(from))})
	}
	return probes
}

// sed -i is compared with what the same script prints.
func sed(program string, args []string) []Probe {
	kept, ok := printing(args)
	if !ok || len(kept) < 3 {
		return nil
	}
	name := kept[len(kept)-1]
	if kept[len(kept)-2] == "-e" || strings.ContainsAny(name, "*?") {
		return nil
	}
	return []Probe{{"what would change in " + name, line(program, kept) + " | diff -u -- " + name + " -"}}
}

// printing are the arguments of sed without -i, each script behind an -e; ok is false if
// there is no -i, or an option that is not known.
func printing(args []string) (kept []string, ok bool) {
	scripts := 0
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case strings.HasPrefix(a, "-i") || strings.HasPrefix(a, "--in-place"):
			ok = true
		case a == "-e" && i+1 < len(args):
			scripts++
			kept = append(kept, a, args[i+1])
			i++
		case slices.Contains([]string{"-E", "-r", "-n", "-s", "-z"}, a):
			kept = append(kept, a)
		case strings.HasPrefix(a, "-"):
			return nil, false
		case scripts == 0:
			scripts++
			kept = append(kept, "-e", a)
		default:
			kept = append(kept, a)
		}
	}
	return kept, ok
}

var stopping = []string{"stop", "restart", "try-restart", "disable", "mask", "kill", "reload-or-restart", "isolate"}

func systemctl(program string, args []string) []Probe {
	options, names := parted(args)
	if len(names) < 2 || !slices.Contains(stopping, names[0]) {
		return nil
	}
	if slices.Contains(options, "--user") {
		program += " --user"
	}
	units := names[1:]
	return []Probe{
		{"what needs it", line(program+" list-dependencies --reverse --no-pager", units)},
		{"how it stands", line(program+" status --no-pager -n 0", units)},
	}
}

func service(_ string, args []string) []Probe {
	if len(args) != 2 {
		return nil
	}
	return systemctl("systemctl", []string{args[1], args[0]})
}

func apt(_ string, args []string) []Probe {
	options, names := parted(args)
	if len(names) == 0 || slices.Contains([]string{"update", "clean", "autoclean"}, names[0]) {
		return nil
	}
	options = slices.DeleteFunc(options, func(o string) bool { return slices.Contains([]string{"-y", "--yes", "-q", "-qq"}, o) })
	return []Probe{{"what would be installed and removed", line("apt-get -s", options, names)}}
}

func dnf(program string, args []string) []Probe {
	_, names := parted(args)
	if len(names) < 2 || names[0] != "remove" && names[0] != "erase" {
		return nil
	}
	return []Probe{{"what needs it", line(program+" repoquery --installed --whatrequires", names[1:])}}
}

func kubectl(program string, args []string) []Probe {
	at := slices.IndexFunc(args, func(a string) bool { return slices.Contains([]string{"apply", "delete", "replace", "scale"}, a) })
	if at < 0 {
		return nil
	}
	rest := slices.Concat(args[:at], args[at+1:])
	if args[at] == "apply" || args[at] == "replace" {
		return []Probe{
			{"what would change", line(program+" diff", rest)},
			{"what would be applied", line(program+" "+args[at], rest, []string{"--dry-run=server"})},
		}
	}
	rest = slices.DeleteFunc(rest, func(a string) bool {
		return strings.HasPrefix(a, "--grace-period") || strings.HasPrefix(a, "--force") || strings.HasPrefix(a, "--now") || strings.HasPrefix(a, "--replicas") || strings.HasPrefix(a, "--wait")
	})
	return []Probe{{"what is there", line(program+" get", rest)}}
}

func docker(program string, args []string) []Probe {
	options, names := parted(args)
	if len(names) == 0 {
		return nil
	}
	object, verb, rest := "container", names[0], names[1:]
	if slices.Contains([]string{"container", "image", "volume", "network", "system", "builder"}, names[0]) && len(names) > 1 {
		object, verb, rest = names[0], names[1], names[2:]
	}
	if names[0] == "rmi" {
		object, verb = "image", "rm"
	}
	switch {
	case verb == "prune":
		return pruned(program, object, options)
	case object == "container" && slices.Contains([]string{"rm", "stop", "kill", "restart"}, verb):
		return []Probe{{"what would end or go", line(program+" ps -a --size", filters("name", rest))}}
	case object == "image" && verb == "rm":
		return []Probe{{"what would go", line(program+" images", rest[:min(len(rest), 1)])}}
	case object == "volume" && verb == "rm":
		return []Probe{{"what would go", line(program+" volume ls", filters("name", rest))}}
	}
	return nil
}

// pruned looks at what "prune" removes of a kind of object.
func pruned(program, object string, options []string) []Probe {
	if object == "system" || object == "image" && has(options, "a", "--all") {
		return []Probe{{"what takes room", program + " system df"}}
	}
	lists := map[string]string{
		"container": " ps -a --filter status=exited",
		"image":     " images --filter dangling=true",
		"volume":    " volume ls --filter dangling=true",
	}
	if look, ok := lists[object]; ok {
		return []Probe{{"what would go", program + look}}
	}
	return nil
}

func filters(key string, names []string) []string {
	var all []string
	for _, n := range names {
		all = append(all, "--filter", key+"="+n)
	}
	return all
}

func kill(_ string, args []string) []Probe {
	var pids []string
	for i, a := range args {
		switch {
		case a == "-s" || i > 0 && args[i-1] == "-s":
		case strings.Trim(a, "0123456789") == "" && a != "":
			pids = append(pids, a)
		case i == 0 && strings.HasPrefix(a, "-"):
		default:
			return nil
		}
	}
	if len(pids) == 0 {
		return nil
	}
	return []Probe{{"what would get the signal", "ps -o pid,user,stat,etime,args -p " + strings.Join(pids, ",")}}
}

func pkill(_ string, args []string) []Probe {
	var kept []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		signal := strings.TrimPrefix(a, "-")
		switch {
		case a == "--signal":
			i++
		case strings.HasPrefix(a, "--signal="), a != signal && strings.Trim(signal, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && len(signal) > 1, a == "-9", a == "-1", a == "-2", a == "-3":
		case a == "-e" || a == "--echo":
		default:
			kept = append(kept, a)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return []Probe{{"what would get the signal", line("pgrep -a", kept)}}
}

func killall(_ string, args []string) []Probe {
	_, names := parted(args)
	var probes []Probe
	for _, n := range names {
		probes = append(probes, Probe{"what would get the signal", "pgrep -a -x " + n})
	}
	return probes
}

func dd(_ string, args []string) []Probe {
	for _, a := range args {
		if to, ok := strings.CutPrefix(a, "of="); ok {
			if strings.HasPrefix(to, "/dev/") {
				return device("", []string{to})
			}
			return list([]string{to})
		}
	}
	return nil
}

func device(_ string, args []string) []Probe {
	for _, a := range args {
		if strings.HasPrefix(a, "/dev/") {
			return []Probe{
				{"what is on the device", "lsblk -f " + a},
				{"where it is mounted", "findmnt -S " + a},
			}
		}
	}
	return nil
}

func unmount(_ string, args []string) []Probe {
	_, names := parted(args)
	if len(names) == 0 {
		return nil
	}
	return []Probe{{"what is mounted there", "findmnt " + names[0]}}
}

func user(_ string, args []string) []Probe {
	_, names := parted(args)
	if len(names) == 0 {
		return nil
	}
	name := names[len(names)-1]
	return []Probe{{"who that is", "id " + name}, {"what he runs", "ps -o pid,etime,args -u " + name}}
}

func who(string, []string) []Probe {
	return []Probe{{"who is logged in", "who"}, {"for how long it runs", "uptime"}}
}

func ip(program string, args []string) []Probe {
	_, words := parted(args)
	if len(words) < 2 {
		return nil
	}
	switch {
	case strings.HasPrefix("route", words[0]):
		return []Probe{{"the routes now", program + " route show"}}
	case strings.HasPrefix("address", words[0]), strings.HasPrefix("link", words[0]):
		return []Probe{{"links and addresses now", program + " -br addr show"}, {"the routes now", program + " route show"}}
	}
	return nil
}

func crontab(_ string, args []string) []Probe {
	if slices.Contains(args, "-r") {
		return []Probe{{"what would be gone", "crontab -l"}}
	}
	return nil
}
