package ssh

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Host says which host is meant, as the operator writes it. User and Port are
// only what they wrote; the configuration has the rest.
type Host struct {
	Name string // a Host of ssh_config, a host name or an address
	User string // "" if not given
	Port int    // 0 if not given
}

// Parse reads a target name: "ssh:HOST", "ssh:USER@HOST",
// "ssh://[USER@]HOST[:PORT]", or HOST and USER@HOST alone. An address of IP
// version 6 stands in brackets in the second form.
func Parse(name string) (Host, error) {
	h, err := parse(name)
	if err != nil {
		return Host{}, fmt.Errorf("ssh: the target %q: %w", withoutPassword(name), err)
	}
	return h, nil
}

// withoutPassword is a name as it may be shown.
func withoutPassword(name string) string {
	user, host, ok := strings.Cut(name, "@")
	if rest, isURL := strings.CutPrefix(user, "ssh://"); ok && isURL {
		if who, _, has := strings.Cut(rest, ":"); has {
			return "ssh://" + who + ":…@" + host
		}
	}
	return name
}

func parse(name string) (Host, error) {
	rest, ok := strings.CutPrefix(name, "ssh:")
	if !ok {
		rest = name
	}
	if ok && strings.HasPrefix(rest, "//") {
		return parseURL(name)
	}
	var h Host
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		h.User, rest = rest[:at], rest[at+1:]
		if h.User == "" {
			return Host{}, fmt.Errorf("there is no user in front of the @; write ssh:USER@HOST")
		}
	}
	h.Name = rest
	return h, h.check()
}

// parseURL reads the form of draft-ietf-secsh-scp-sftp-ssh-uri, as ssh does.
func parseURL(name string) (Host, error) {
	u, err := url.Parse(name)
	if err != nil {
		var why *url.Error // names the target again, which may hold a password
		if errors.As(err, &why) {
			err = why.Err
		}
		return Host{}, fmt.Errorf("is no ssh://USER@HOST:PORT: %w", err)
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return Host{}, fmt.Errorf("has more than ssh://USER@HOST:PORT; leave out what follows the port")
	}
	h := Host{Name: u.Hostname(), User: u.User.Username()}
	if _, has := u.User.Password(); has {
		return Host{}, fmt.Errorf("a password does not belong into a name; leave it out, it will be asked for")
	}
	if p := u.Port(); p != "" {
		if h.Port, err = parsePort(p); err != nil {
			return Host{}, err
		}
	}
	return h, h.check()
}

// parseHop reads a hop of ProxyJump as ssh writes it: "[USER@]HOST[:PORT]", where
// an address of either version may stand in brackets, or a URL.
func parseHop(hop string) (Host, error) {
	var h Host
	rest, isURL := strings.CutPrefix(hop, "ssh://")
	port := ""
	if isURL {
		rest = strings.TrimSuffix(rest, "/")
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		h.User, rest = rest[:at], rest[at+1:]
		if user, err := url.PathUnescape(h.User); isURL && err == nil {
			h.User = user
		}
	}
	if inside, after, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]"); ok && rest[0] == '[' {
		h.Name, port = inside, strings.TrimPrefix(after, ":")
	} else if strings.Count(rest, ":") == 1 {
		h.Name, port, _ = strings.Cut(rest, ":")
	} else {
		h.Name = rest
	}
	var err error
	if port != "" {
		h.Port, err = parsePort(port)
	}
	if err == nil {
		err = h.check()
	}
	if err != nil {
		return Host{}, fmt.Errorf("ssh: the hop %q: %w", hop, err)
	}
	return h, nil
}

func parsePort(s string) (int, error) {
	port, err := strconv.Atoi(s)
	if err != nil || port < 1 || port > 65535 {
		return 0, fmt.Errorf("the port %q is not a number from 1 to 65535", s)
	}
	return port, nil
}

// check refuses what ssh refuses: names that would be read as options, and
// characters that a shell in a ProxyCommand or Match exec would act on.
func (h Host) check() error {
	switch {
	case h.Name == "":
		return fmt.Errorf("there is no host; write ssh:HOST")
	case h.Name[0] == '-':
		return fmt.Errorf("a host does not begin with '-'; options belong into ssh_config")
	case strings.HasPrefix(h.User, "-"):
		return fmt.Errorf("a user does not begin with '-'")
	}
	if i := strings.IndexFunc(h.Name, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("'`\"$\\;&<>|(){}", r) }); i >= 0 {
		return fmt.Errorf("the host %q holds the character %q, which no host has", h.Name, h.Name[i])
	}
	if strings.Contains(h.Name, ":") {
		if _, err := netip.ParseAddr(h.Name); err != nil {
			return fmt.Errorf("the host %q holds a ':', which only addresses do; a port is written ssh://HOST:PORT", h.Name)
		}
	}
	if i := strings.IndexFunc(h.User, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune("'`\";&<>|(){}", r) }); i >= 0 {
		return fmt.Errorf("the user %q holds the character %q, which ssh refuses", h.User, h.User[i])
	}
	if strings.HasSuffix(h.User, `\`) {
		return fmt.Errorf("the user %q ends with a backslash, which ssh refuses", h.User)
	}
	return nil
}

// String is the target's canonical name.
func (h Host) String() string {
	if h.Port == 0 {
		if h.User == "" {
			return "ssh:" + h.Name
		}
		return "ssh:" + h.User + "@" + h.Name
	}
	u := url.URL{Scheme: "ssh", Host: net.JoinHostPort(h.Name, strconv.Itoa(h.Port))}
	if h.User != "" {
		u.User = url.User(h.User)
	}
	return u.String()
}
