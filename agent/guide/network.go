package guide

import (
	"fmt"
	"strings"
)

// iface is one line of ip -br addr.
type iface struct {
	name, state string
	addresses   []string
}

func parseAddr(o outcome) []iface {
	var list []iface
	for _, line := range o.lines() {
		f := strings.Fields(line)
		if len(f) < 2 || !strings.Contains("UP DOWN UNKNOWN LOWERLAYERDOWN DORMANT NOTPRESENT TESTING", f[1]) {
			continue
		}
		name, _, _ := strings.Cut(f[0], "@")
		list = append(list, iface{name: name, state: f[1], addresses: f[2:]})
	}
	return list
}

func reportNetwork(f found) string {
	var parts []string
	if o, ok := f.get("addr"); ok {
		parts = append(parts, sayInterfaces(parseAddr(o)))
	} else if o, ok := f.get("ifconfig"); ok {
		parts = append(parts, "The interfaces are:\n\n"+block(o.text)+"\n\n")
	}
	if o, ok := f.get("route"); ok {
		for _, line := range o.lines() {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "default via "); ok {
				if g := strings.Fields(rest); len(g) > 2 {
					parts = append(parts, fmt.Sprintf("Packets to elsewhere leave through %s on %s.", code(g[0]), code(g[2])))
				}
			}
		}
	}
	if o, ok := f.get("dns"); ok {
		var servers []string
		for _, line := range o.lines() {
			if s, ok := strings.CutPrefix(strings.TrimSpace(line), "nameserver "); ok {
				servers = append(servers, code(s))
			}
		}
		if len(servers) > 0 {
			parts = append(parts, "Names are asked of "+series(servers)+".")
		}
	}
	return paragraph(parts)
}

func sayInterfaces(list []iface) string {
	var with, without []string
	for _, i := range list {
		if len(i.addresses) == 0 {
			without = append(without, code(i.name))
			continue
		}
		var addresses []string
		for _, a := range i.addresses {
			// peer and the like are words between addresses.
			if strings.ContainsAny(a, ".:") {
				addresses = append(addresses, code(a))
			}
		}
		with = append(with, fmt.Sprintf("**%s** has %s", strings.Trim(code(i.name), "`"), series(addresses)))
	}
	if len(with) == 0 {
		return "No interface has an address."
	}
	s := series(with) + "."
	if len(without) > 0 {
		s += " Without an address: " + series(without) + "."
	}
	return s
}
