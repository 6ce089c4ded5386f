package risk

import (
	"net/netip"
	"path"
	"regexp"
	"strings"
	"sync"
)

// Operands that a program resolves, or takes for files, by a syntax of its own.

var (
	inetSelection = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[46]?(tcp|udp|TCP|UDP)?$`) })
	serviceName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_*,-]+$`) })
	secretSetting = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)pass|auth|secret|token|key|user|cred`) })
	kernelName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./*-]*$`) })
)

// inet judges what lsof takes behind -i: it looks a host's name up.
func (a *assessor) inet(w word) {
	selection, host, named := strings.Cut(w.text, "@")
	service := ""
	if !named {
		selection, service, _ = strings.Cut(w.text, ":")
	} else if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.HasSuffix(host, "]") {
		host, service = host[:at], host[at+1:]
	}
	if !w.known() || !inetSelection().MatchString(selection) || service != "" && !serviceName().MatchString(service) {
		a.unread(Mutate, 0, "argument.value", "the value "+shown(w.text)+" is not known to be harmless", w)
		return
	}
	a.named(host, w)
}

// named counts a host unless it is written as an address.
func (a *assessor) named(host string, w word) {
	if host == "" {
		return
	}
	if _, err := netip.ParsePrefix(host); err == nil {
		return
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return
	}
	part := w
	part.text = host
	a.reach(part)
}

// spaced sets brackets apart.
var spaced = strings.NewReplacer("(", " ( ", ")", " ) ")

// socketWords are the words of a filter of ss that name nothing.
var socketWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`state exclude all connected synchronized bucket big listening listen closed close established
		syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait close-wait last-ack closing bound-inactive unconnected unconn
		src dst sport dport dev fwmark cgroup autobound and or not ! & && | || ( ) = == eq != ne neq > gt < lt >= ge geq <= le leq
		FILTER`) {
		socketWords[w] = true
	}
}

var (
	socketPort = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(src|dst|sport|dport)?(=|==|!=|>|<|>=|<=)?\*?:[A-Za-z0-9_*-]+$`)
	})
	socketCompare = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(src|dst|sport|dport)(=|==|!=|>|<|>=|<=)`) })
)

// socket judges a word of a filter of ss, or a whole filter in one word. What is
// no keyword, port or address is a host's name that is looked up.
func (a *assessor) socket(w word) {
	if !w.known() {
		a.note(Observe, Exfil, "host.dynamic", "a part of the filter is not known, and can be a host's name that carries data", w)
		return
	}
	for _, token := range strings.Fields(spaced.Replace(w.text)) {
		if socketWords[token] || socketPort().MatchString(token) {
			continue
		}
		token = token[len(socketCompare().FindString(token)):]
		if strings.HasPrefix(token, "/") || strings.HasPrefix(token, "unix:") || token == "*" || strings.Trim(token, "0123456789") == "" {
			continue
		}
		host, read := socketHost(token)
		if !read {
			a.unclear("argument.value", "the filter "+shown(w.text)+" is not read", w)
		}
		a.named(host, w)
	}
}

// packetWords are those of a filter for packets (pcap-filter(7)) behind which no name stands
// that is looked up elsewhere, and the names of some ports.
var packetWords = set(`tcp udp icmp icmp6 arp rarp ip ip6 ether vlan mpls pppoed pppoes igmp igrp pim ah esp vrrp sctp
	host net mask port portrange src dst proto protochain broadcast multicast less greater len inbound outbound and or not
	tcpflags tcp-fin tcp-syn tcp-rst tcp-push tcp-ack tcp-urg tcp-ece tcp-cwr icmptype icmpcode icmp-echo icmp-echoreply
	icmp-unreach icmp-redirect icmp-timxceed icmp-paramprob
	domain http https ssh smtp ntp snmp ldap ldaps imap imaps pop3 syslog bootps bootpc`)

// packets judges a filter for packets, or a word of one. What is no keyword, number or
// address is a host's name that is looked up.
func (a *assessor) packets(w word) {
	if !w.known() {
		a.note(Observe, Exfil, "host.dynamic", "a part of the filter is not known, and can be a host's name that carries data", w)
		return
	}
	for _, token := range strings.FieldsFunc(w.text, func(r rune) bool { return strings.ContainsRune(" \t\n()[]&|!=<>+-*^", r) && r != '-' }) {
		if packetWords[token] || strings.Trim(token, "0123456789x-:abcdefABCDEF") == "" && strings.ContainsAny(token[:1], "0123456789-") {
			continue
		}
		a.named(token, w)
	}
}

// socketHost is the host in a filter's address, without family, port and length of a
// prefix; empty if it is any or none. read is false if a part of the address is not read.
func socketHost(address string) (host string, read bool) {
	read = true
	host = strings.TrimPrefix(strings.TrimPrefix(address, "inet:"), "inet6:")
	if at := strings.LastIndexByte(host, ':'); at >= 0 && (strings.Count(host, ":") == 1 || strings.HasPrefix(host, "[")) {
		port := host[at+1:]
		read = port == "" || serviceName().MatchString(port)
		host = host[:at]
	}
	if strings.Trim(host, "[]*") == "" {
		return "", read
	}
	if bare, bits, ok := strings.Cut(host, "/"); ok && strings.Trim(bits, "0123456789") == "" {
		host = strings.Trim(bare, "[]")
	}
	if !hostName().MatchString(host) {
		return "", false
	}
	return host, read
}

// config judges a configuration that a program checks, and which can have it
// load and run what it names: only the system's own, by its full name, is taken
// for known.
func (a *assessor) config(w word) {
	a.readPath(w, kindReads)
	clean := path.Clean(w.text)
	if w.known() && clean == w.text && (strings.HasPrefix(clean, "/etc/") && strings.Count(clean, "/") > 2 || strings.HasPrefix(clean, "/usr/local/etc/")) {
		return
	}
	a.unread(Mutate, Opaque, "config.file", "a configuration that is not the system's own can name code to load, and errors show its lines", w)
}

// settings judges a configuration of which nothing is shown.
func (a *assessor) settings(w word) {
	a.readPath(w, kindMeta)
	if !w.known() || path.Clean(w.text) != w.text || !strings.HasPrefix(w.text, "/etc/") && !strings.HasPrefix(w.text, "/usr/local/etc/") {
		a.unread(Mutate, Opaque, "config.file", "settings that are not the system's own can name another place to ask", w)
	}
}

var shapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?s:json|yaml|kyaml|wide|name|table|short|(jsonpath|jsonpath-as-json|custom-columns|go-template|template)=.*)$`)
})

var plainShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(wide|name|)$`) })

// shaped judges the form in which a cluster's answer is wanted: a template may
// stand in a file.
func (a *assessor) shaped(w word) {
	w.text = strings.TrimPrefix(w.text, "=")
	a.shape = w.text
	if !w.known() && !w.quoted {
		a.unclear("argument.dynamic", "the form of the answer is not known", w)
	}
	if form, file, ok := strings.Cut(w.text, "="); ok && strings.HasSuffix(form, "-file") {
		w.text = file
		a.readPath(w, kindReads)
	} else if w.known() && !shapes().MatchString(w.text) {
		a.unclear("argument.value", "the form "+shown(w.text)+" of the answer is not known", w)
	}
}
