package lockout

import (
	"path"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools/risk"
)

// touched is what a command may change of the way in.
type touched struct {
	network  bool     // links, addresses, routes, rules
	firewall bool     // iptables, nftables
	service  bool     // whether an ssh server runs
	paths    []string // files and folders: absolute, "~/…" or "~user/…"
	lacks    []string
}

func (t *touched) none() bool {
	return !t.network && !t.firewall && !t.service && len(t.paths) == 0
}

// words say what is brought back.
func (t *touched) words() []string {
	var words []string
	if t.network {
		words = append(words, "links, addresses and routes")
	}
	if t.firewall {
		words = append(words, "the firewall")
	}
	if t.service {
		words = append(words, "the ssh service")
	}
	return append(words, t.paths...)
}

// Programs by what they change.
var (
	networkPrograms = words(`ip ifconfig route arp bridge brctl ethtool mii-tool nmcli nmtui netplan ifup ifdown dhclient
		dhcpcd networkctl wg wg-quick ifenslave vconfig iw iwctl tc rfkill openvpn tailscale`)
	firewallPrograms = words(`iptables ip6tables iptables-legacy ip6tables-legacy iptables-nft ip6tables-nft iptables-restore
		ip6tables-restore nft ufw firewall-cmd firewalld netfilter-persistent shorewall`)
	accountPrograms = words(`passwd chpasswd usermod useradd adduser userdel deluser groupadd addgroup groupdel delgroup
		groupmod gpasswd chage vipw vigr chsh newusers`)
	serviceUnits  = words(`ssh sshd sshd@ dropbear`)
	networkUnits  = words(`network networking networkmanager network-manager systemd-networkd wg-quick@ netplan wpa_supplicant openvpn openvpn@ tailscaled`)
	firewallUnits = words(`firewalld ufw nftables iptables ip6tables netfilter-persistent shorewall`)
)

func words(s string) []string { return strings.Fields(s) }

// Files that belong together.
var (
	accountFiles = words("/etc/passwd /etc/shadow /etc/group /etc/gshadow")
	rightsFiles  = words("/etc/sudoers /etc/sudoers.d")
	loginFiles   = words("/etc/pam.d /etc/security")
	accessFiles  = slices.Concat(words("/etc/ssh ~/.ssh"), accountFiles, rightsFiles, loginFiles)
)

// programFiles are what else a program changes.
var programFiles = map[string][]string{
	"ufw": words("/etc/ufw /etc/default/ufw"), "firewall-cmd": words("/etc/firewalld"), "firewalld": words("/etc/firewalld"),
	"netplan": words("/etc/netplan"), "nmcli": words("/etc/NetworkManager"), "nmtui": words("/etc/NetworkManager"),
	"visudo": rightsFiles, "pam-auth-update": loginFiles, "authselect": loginFiles, "authconfig": loginFiles,
	"ssh-copy-id": words("~/.ssh"), "faillock": nil,
}

// touchedBy goes through the findings of a text.
func touchedBy(text string, findings []risk.Finding) *touched {
	t := &touched{}
	for _, f := range findings {
		span := ""
		if 0 <= f.Start && f.Start <= f.End && f.End <= len(text) {
			span = text[f.Start:f.End]
		}
		rule, _, _ := strings.Cut(f.Rule, ".")
		switch {
		case f.Rule == "write.access":
			t.files(span)
		case rule == "unit":
			t.units(span)
		default:
			t.program(rule)
			for _, w := range split(span) {
				if dir := path.Dir(w); dir == "." || strings.HasSuffix(dir, "bin") { // not a file of such a name
					t.program(path.Base(w))
				}
			}
		}
	}
	slices.Sort(t.paths)
	t.paths = slices.Compact(t.paths)
	t.paths = slices.DeleteFunc(t.paths, func(p string) bool {
		return slices.ContainsFunc(t.paths, func(other string) bool { return strings.HasPrefix(p, other+"/") })
	})
	slices.Sort(t.lacks)
	t.lacks = slices.Compact(t.lacks)
	return t
}

// split are the words of a text as far as they matter here.
func split(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\r\n;|&<>()'\"`=,{}", c) })
}

func (t *touched) program(name string) {
	t.network = t.network || slices.Contains(networkPrograms, name)
	t.firewall = t.firewall || slices.Contains(firewallPrograms, name)
	t.service = t.service || name == "sshd"
	if slices.Contains(accountPrograms, name) {
		t.paths = append(t.paths, accountFiles...)
	}
	t.paths = append(t.paths, programFiles[name]...)
}

// units are acted upon, or processes of such names.
func (t *touched) units(span string) {
	for _, w := range split(span) {
		unit := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(path.Base(w), ".service"), ".socket"))
		if at := strings.IndexByte(unit, '@'); at >= 0 {
			unit = unit[:at+1]
		}
		t.service = t.service || slices.Contains(serviceUnits, unit)
		t.firewall = t.firewall || slices.Contains(firewallUnits, unit)
		t.network = t.network || slices.Contains(networkUnits, unit)
	}
}

// files are written by the command in the span.
func (t *touched) files(span string) {
	known := false
	for _, w := range split(span) {
		p, is := pathOf(w)
		if !is {
			continue
		}
		known = true
		t.file(p)
	}
	if !known { // a path that only the shell knows
		for _, p := range accessFiles {
			t.file(p)
		}
	}
}

// pathOf is a word that is a path, in one of the ways that [touched.paths] has.
func pathOf(w string) (string, bool) {
	for _, home := range []string{"$HOME/", "~/"} {
		if rest, ok := strings.CutPrefix(w, home); ok {
			return "~/" + strings.TrimPrefix(path.Clean("/"+rest), "/"), true
		}
	}
	switch {
	case strings.HasPrefix(w, "/"):
		return path.Clean(w), true
	case strings.HasPrefix(w, "~"):
		user, rest, ok := strings.Cut(w[1:], "/")
		return "~" + user + path.Clean("/"+rest), ok && plainName(user)
	}
	return "", false
}

func plainName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && s[0] != '-'
}

// file notes a path that is written, and what it must be saved with.
func (t *touched) file(p string) {
	below := func(dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
	if i := strings.IndexAny(p, "*?["); i >= 0 { // the folder that holds what the pattern means
		p = path.Dir(p[:i] + "x")
	}
	switch {
	case strings.Contains(p, "/.ssh"):
		p = p[:strings.Index(p, "/.ssh")+len("/.ssh")]
	case below("/etc/ssh"):
		p = "/etc/ssh"
	case p == "/etc":
		t.paths = append(t.paths, accessFiles...)
		t.lacks = append(t.lacks, "/etc beside what logins need")
		return
	case slices.Contains(accountFiles, p):
		t.paths = append(t.paths, accountFiles...)
		return
	case below("/etc/nftables.conf"), below("/etc/nftables.d"), below("/etc/iptables"), below("/etc/ufw"), below("/etc/firewalld"):
		t.firewall = true
	case below("/etc/network"), below("/etc/netplan"), below("/etc/NetworkManager"), below("/etc/systemd/network"):
		t.network = true
	case below("/proc/sys"), below("/sys"), below("/dev"):
		t.lacks = append(t.lacks, p)
		return
	case !strings.HasPrefix(p, "/etc/") && p != "/run/nologin":
		t.lacks = append(t.lacks, p)
		return
	}
	t.paths = append(t.paths, p)
}

// own reports whether everything touched belongs to the user who logs in.
func (t *touched) own() bool {
	return !t.network && !t.firewall && !t.service &&
		!slices.ContainsFunc(t.paths, func(p string) bool { return !strings.HasPrefix(p, "~/") })
}
