package guide

import (
	"fmt"
	"net/netip"
	"sort"
	"strconv"
	"strings"
)

// listener is one port with everything that listens on it.
type listener struct {
	proto     string
	port      int
	addresses []string
	processes []string
}

var ssProcess = lazy(`\("([^"]+)",pid=(\d+)`)

// parseListeners reads ss -tulpn and netstat -tuln, grouped by port.
func parseListeners(o outcome) []listener {
	byPort := map[string]*listener{}
	var last *listener
	for _, line := range o.lines() {
		f := strings.Fields(line)
		if strings.HasPrefix(strings.TrimSpace(line), "users:((") && last != nil {
			// On a narrow terminal ss breaks its lines before the last column.
			last.nameProcesses(line)
			continue
		}
		if len(f) < 5 || !strings.HasPrefix(f[0], "tcp") && !strings.HasPrefix(f[0], "udp") {
			continue
		}
		local := f[4]
		if _, err := strconv.Atoi(f[1]); err == nil {
			local = f[3] // netstat has no column for the state here
		}
		i := strings.LastIndexByte(local, ':')
		if i < 0 {
			continue
		}
		port, err := strconv.Atoi(local[i+1:])
		if err != nil {
			continue
		}
		proto := f[0][:3]
		key := fmt.Sprintf("%s %d", proto, port)
		l := byPort[key]
		if l == nil {
			l = &listener{proto: proto, port: port}
			byPort[key] = l
		}
		l.addresses = addNew(l.addresses, local[:i])
		l.nameProcesses(line)
		last = l
	}
	list := make([]listener, 0, len(byPort))
	for _, l := range byPort {
		list = append(list, *l)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].port != list[j].port {
			return list[i].port < list[j].port
		}
		return list[i].proto < list[j].proto
	})
	return list
}

func (l *listener) nameProcesses(line string) {
	for _, m := range ssProcess().FindAllStringSubmatch(line, -1) {
		l.processes = addNew(l.processes, m[1])
	}
}

func addNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// local says whether the port can only be reached from this machine.
func (l listener) local() bool {
	for _, a := range l.addresses {
		host, _, _ := strings.Cut(strings.Trim(a, "[]"), "%")
		ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if err != nil || !ip.IsLoopback() {
			return false
		}
	}
	return true
}

func (l listener) where() string {
	if l.local() {
		return "only from this machine"
	}
	var list []string
	for _, a := range l.addresses {
		if a == "*" || a == "0.0.0.0" || a == "[::]" || a == "::" || a == "" {
			return "on all addresses"
		}
		list = append(list, code(a))
	}
	return "on " + series(list)
}

const maxListed = 25

func reportListeners(f found) string {
	o, ok := f.get("ss")
	if !ok {
		o, ok = f.get("netstat")
	}
	if !ok {
		return ""
	}
	all := parseListeners(o)
	if len(all) == 0 {
		return "Nothing listens on a TCP or UDP port."
	}
	open, named := 0, 0
	for _, l := range all {
		if !l.local() {
			open++
		}
		if len(l.processes) > 0 {
			named++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** %s listening; %d can be reached from other machines, as far as no firewall is in between:\n",
		count(len(all), "port"), isAre(len(all)), open)
	for i, l := range all {
		if i == maxListed {
			fmt.Fprintf(&b, "\n- and %d more", len(all)-maxListed)
			break
		}
		who := "a process that is not named here"
		if len(l.processes) > 0 {
			var names []string
			for _, p := range l.processes {
				names = append(names, code(p))
			}
			who = series(names)
		}
		fmt.Fprintf(&b, "\n- **%d/%s**: %s, %s", l.port, l.proto, who, l.where())
	}
	if named < len(all) {
		b.WriteString("\n\nProcesses of other users are only named to root.")
	}
	return b.String()
}
