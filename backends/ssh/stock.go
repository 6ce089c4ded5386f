package ssh

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// StockError says that only the system's ssh can log in to a host, since its
// configuration needs what nod does not do itself.
type StockError struct {
	Keyword string // of ssh_config
	Why     string
}

// Error implements error.
func (e *StockError) Error() string {
	return fmt.Sprintf("%s: %s, which nod leaves to the system's ssh (login = \"openssh\")", e.Keyword, e.Why)
}

// needsStock looks for what is known before the login to need the system's ssh.
func needsStock(v values, s Settings) *StockError {
	switch rekey := strings.Fields(v.first("rekeylimit")); {
	case v.first("pkcs11provider") != "":
		return &StockError{"PKCS11Provider", "keys on a token"}
	case v.first("knownhostscommand") != "":
		return &StockError{"KnownHostsCommand", "a program tells the host keys"}
	case v.yes("proxyusefdpass") && v.first("proxycommand") != "":
		return &StockError{"ProxyUseFdpass", "the ProxyCommand hands a connection over"}
	case v.yes("checkhostip"):
		return &StockError{"CheckHostIP", "the host's address is checked, too"}
	case v.first("kbdinteractivedevices") != "":
		return &StockError{"KbdInteractiveDevices", "a device is asked for"}
	case !slices.Contains([]string{"", "internal"}, v.first("securitykeyprovider")):
		return &StockError{"SecurityKeyProvider", "a library of its own talks with the key"}
	case len(rekey) == 2 && rekey[1] != "0" && rekey[1] != "none":
		return &StockError{"RekeyLimit", "keys are exchanged anew by time"}
	case isKRL(s.RevokedHostKeys):
		return &StockError{"RevokedHostKeys", s.RevokedHostKeys + " is a key revocation list"}
	}
	lists := []struct {
		keyword string
		chosen  []string
		have    func(ssh.Algorithms) []string
	}{
		{"Ciphers", s.Ciphers, func(a ssh.Algorithms) []string { return a.Ciphers }},
		{"MACs", s.MACs, func(a ssh.Algorithms) []string { return a.MACs }},
		{"KexAlgorithms", s.KeyExchanges, func(a ssh.Algorithms) []string { return a.KeyExchanges }},
		{"HostKeyAlgorithms", s.HostKeyAlgorithms, func(a ssh.Algorithms) []string { return a.HostKeys }},
	}
	for _, l := range lists {
		if len(l.chosen) > 0 && len(intersect(l.chosen, slices.Concat(l.have(ssh.SupportedAlgorithms()), l.have(ssh.InsecureAlgorithms())))) == 0 {
			return &StockError{l.keyword, "of " + strings.Join(l.chosen, ",") + " it has none"}
		}
	}
	return nil
}

func isKRL(file string) bool {
	if file == "" {
		return false
	}
	data, err := os.ReadFile(file)
	return err == nil && bytes.HasPrefix(data, []byte(krlMagic))
}

// notDone are the notes about what a configuration asks for besides the login.
func notDone(v values) []string {
	var notes []string
	for _, o := range []struct{ keyword, why string }{
		{"LocalForward", "ports are not forwarded"},
		{"RemoteForward", "ports are not forwarded"},
		{"DynamicForward", "ports are not forwarded"},
		{"ForwardAgent", "the agent is not forwarded"},
		{"ForwardX11", "X11 is not forwarded"},
		{"Tunnel", "no tunnel device is made"},
	} {
		value := v.first(strings.ToLower(o.keyword))
		if value != "" && value != "no" && value != "false" {
			notes = append(notes, fmt.Sprintf("%s is set and not done by nod: %s", o.keyword, o.why))
		}
	}
	if v.first("addkeystoagent") == "ask" {
		notes = append(notes, "AddKeysToAgent is set to ask and not done by nod: keys are not added to the agent")
	}
	return notes
}

// kerberos reports whether there may be a ticket, without which ssh passes a
// login with GSSAPI over.
func (o Options) kerberos() bool {
	if o.getenv("KRB5CCNAME") != "" || o.getenv("KRB5_CONFIG") != "" {
		return true
	}
	for _, file := range []string{fmt.Sprintf("/tmp/krb5cc_%d", os.Getuid()), "/etc/krb5.conf"} {
		if _, err := os.Stat(file); err == nil {
			return true
		}
	}
	return false
}

// stockWay is a way to log in that the server takes, that the operator's ssh has
// and nod has not; nil if there is none.
func (l *login) stockWay(allowed []string) *StockError {
	switch {
	case l.settings.GSSAPI && slices.Contains(allowed, "gssapi-with-mic"):
		return &StockError{"GSSAPIAuthentication", "the server takes Kerberos tickets"}
	case l.settings.Hostbased && slices.Contains(allowed, "hostbased"):
		return &StockError{"HostbasedAuthentication", "the server trusts this machine's key"}
	case l.token != "" && slices.Contains(allowed, "publickey"):
		return &StockError{"IdentityFile", l.token + " needs a security key"}
	}
	return nil
}

// allows reports whether the operator's lists hold one of the algorithms that a
// server takes: then only nod lacks it.
func (s Settings) allows(offered []string) bool {
	all := slices.Concat(s.Offers, s.HostKeyAlgorithms)
	return slices.ContainsFunc(offered, func(a string) bool { return slices.Contains(all, a) })
}
