package ssh

import (
	"bytes"
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
	"golang.org/x/sys/unix"
)

// hostKeys checks the host key of one connection.
type hostKeys struct {
	settings Settings
	asker    Asker
	db       *knownhosts.HostKeyDB
	names    map[string]string // files that were read for others, see readable
	temp     string            // the folder of those files
	waiting  func() (resume func())
	notice   func(string)
}

// newHostKeys reads the known_hosts files. waiting is called around a question,
// and notice is told what the operator should know.
func newHostKeys(s Settings, a Asker, waiting func() func(), notice func(string)) (*hostKeys, error) {
	k := &hostKeys{settings: s, asker: a, names: map[string]string{}, waiting: waiting, notice: notice}
	defer k.cleanUp()
	var files []string
	for _, file := range slices.Concat(s.KnownHosts, s.GlobalKnownHosts) {
		use, err := k.readable(file)
		if err != nil {
			return nil, err
		}
		if use != "" {
			files = append(files, use)
		}
	}
	db, err := knownhosts.NewDB(files...)
	if err != nil {
		return nil, fmt.Errorf("known hosts: %w", err)
	}
	k.db = db
	return k, nil
}

func (k *hostKeys) cleanUp() {
	if k.temp != "" {
		_ = os.RemoveAll(k.temp) // copies of public keys
	}
}

// readable returns the file to read for a known_hosts file: itself, or a copy
// with the lines left empty that the library does not understand, as ssh skips
// them, too, and with the patterns judged, see spelledOut. A line that revokes a key is
// never skipped. A file that cannot be read is passed over, as ssh does; what it knew is
// not known then.
func (k *hostKeys) readable(file string) (string, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return "", nil // a device like /dev/null holds nothing
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		k.notice(fmt.Sprintf("the known_hosts file is passed over: %v", err))
		return "", nil
	}
	lines := bytes.Split(data, []byte("\n"))
	changed := false
	for i, line := range lines {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if _, _, _, _, _, err := ssh.ParseKnownHosts(append(slices.Clone(line), '\n')); err == nil {
			if spelled, ok := k.spelledOut(line); ok {
				lines[i], changed = spelled, true
			}
			continue
		}
		if bytes.HasPrefix(line, []byte("@revoked")) {
			return "", fmt.Errorf("known hosts: %s:%d: a line that revokes a key cannot be read; correct it", file, i+1)
		}
		lines[i], changed = nil, true
	}
	if !changed {
		return file, nil
	}
	if k.temp == "" {
		if k.temp, err = os.MkdirTemp("", "nod-known-hosts-"); err != nil {
			return "", fmt.Errorf("known hosts: %w", err)
		}
	}
	copied := filepath.Join(k.temp, strconv.Itoa(len(k.names)))
	if err := os.WriteFile(copied, bytes.Join(lines, []byte("\n")), 0o600); err != nil {
		return "", fmt.Errorf("known hosts: %w", err)
	}
	k.names[copied] = file
	return copied, nil
}

// spelledOut is a line of a known_hosts file with the host's own names in place of its
// patterns, empty if they do not match. It is false for a line without wildcards. The
// library takes a pattern for one of names at port 22; for ssh it is one of the whole
// text, of which "[name]:port" is a part where the port is another (match.c).
func (k *hostKeys) spelledOut(line []byte) ([]byte, bool) {
	fields := bytes.Fields(line)
	at := 0
	if fields[0][0] == '@' {
		at = 1
	}
	if fields[at][0] == '|' || !bytes.ContainsAny(fields[at], "*?") {
		return nil, false
	}
	patterns := strings.Split(string(fields[at]), ",")
	var names []string
	for _, address := range []string{k.address(), k.withoutPort()} {
		name, port, err := net.SplitHostPort(address)
		if err == nil && port != "22" {
			name = fmt.Sprintf("[%s]:%s", name, port)
		}
		if err == nil && matchHost(patterns, name) {
			names = append(names, knownhosts.Normalize(address))
		}
	}
	if len(names) == 0 {
		return nil, true
	}
	fields[at] = []byte(strings.Join(slices.Compact(names), ","))
	return bytes.Join(fields, []byte(" ")), true
}

// address is how the host is called in known_hosts, with its port.
func (k *hostKeys) address() string {
	if k.settings.HostKeyAlias != "" {
		return net.JoinHostPort(k.settings.HostKeyAlias, "22") // an alias stands for the port, too
	}
	return net.JoinHostPort(strings.ToLower(k.settings.HostName), strconv.Itoa(k.settings.Port))
}

// algorithms are the kinds of host keys to ask for, those of known keys first:
// another one would look like a changed key.
func (k *hostKeys) algorithms() []string {
	known := slices.Concat(ssh.SupportedAlgorithms().HostKeys, ssh.InsecureAlgorithms().HostKeys)
	all := intersect(k.settings.HostKeyAlgorithms, known)
	first := k.db.HostKeyAlgorithms(k.address())
	if len(first) == 0 {
		first = k.db.HostKeyAlgorithms(k.withoutPort())
	}
	first = intersect(first, all)
	// Without an authority that is known, a certificate would say nothing, and
	// the key below it would not be shown.
	if !slices.ContainsFunc(first, isCertificate) {
		all = slices.DeleteFunc(all, isCertificate)
	}
	return append(first, slices.DeleteFunc(all, func(a string) bool { return slices.Contains(first, a) })...)
}

func isCertificate(algorithm string) bool { return strings.Contains(algorithm, "-cert-") }

// withoutPort is the address of the same host at the usual port, whose key
// holds at other ports, too, as it does for ssh.
func (k *hostKeys) withoutPort() string {
	host, _, err := net.SplitHostPort(k.address())
	if err != nil {
		return k.address()
	}
	return net.JoinHostPort(host, "22")
}

// intersect keeps what others has of list, in list's order.
func intersect(list, others []string) []string {
	var kept []string
	for _, x := range list {
		if slices.Contains(others, x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// noAddress stands for an address that has no part in the check: a name's key
// does not depend on it.
var noAddress = &net.TCPAddr{IP: net.IPv4zero}

// check decides about the key that a host shows. remote is for the operator.
func (k *hostKeys) check(ctx context.Context, remote string, key ssh.PublicKey) error {
	if k.settings.TrustLocalhost && isLoopback(remote) {
		return nil
	}
	if err := k.strongEnough(key); err != nil {
		return err
	}
	if err := k.notRevokedByFile(key); err != nil {
		return err
	}
	lookup := k.db.HostKeyCallback()
	err := lookup(k.address(), noAddress, key)
	if knownhosts.IsHostUnknown(err) && k.address() != k.withoutPort() {
		if e := lookup(k.withoutPort(), noAddress, key); !knownhosts.IsHostUnknown(e) && !knownhosts.IsHostKeyChanged(e) {
			err = e
		}
	}
	name := knownhosts.Normalize(k.address())
	var (
		revoked *xknownhosts.RevokedError
		unknown *xknownhosts.KeyError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &revoked):
		return &RevokedHostKeyError{name, key.Type(), ssh.FingerprintSHA256(key), k.named(revoked.Revoked.Filename), revoked.Revoked.Line}
	case errors.As(err, &unknown) && len(unknown.Want) > 0:
		changed := &ChangedHostKeyError{Host: name, KeyType: key.Type(), Fingerprint: ssh.FingerprintSHA256(key)}
		for _, w := range unknown.Want {
			changed.Known = append(changed.Known, KnownKey{w.Key.Type(), ssh.FingerprintSHA256(w.Key), k.named(w.Filename), w.Line})
		}
		return changed
	case errors.As(err, &unknown):
		return k.decide(ctx, name, remote, key)
	}
	return fmt.Errorf("the host key of %s (%s %s) is refused: %w", name, key.Type(), ssh.FingerprintSHA256(key), err)
}

// isLoopback reports whether a connection is to this machine.
func isLoopback(remote string) bool {
	at, err := netip.ParseAddrPort(remote)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// strongEnough holds RequiredRSASize and CASignatureAlgorithms.
func (k *hostKeys) strongEnough(key ssh.PublicKey) error {
	cert, ok := key.(*ssh.Certificate)
	if ok {
		if algorithm := cert.Signature.Format; !slices.Contains(k.settings.CASignatureAlgorithms, algorithm) {
			return fmt.Errorf("the host's certificate is signed with %s, which CASignatureAlgorithms does not allow", algorithm)
		}
		key = cert.Key
	}
	if bits := rsaBits(key); bits > 0 && bits < k.settings.RequiredRSASize {
		return fmt.Errorf("the host's RSA key has %d bits, RequiredRSASize asks for %d", bits, k.settings.RequiredRSASize)
	}
	return nil
}

// rsaBits is the length of an RSA key; 0 for keys of other kinds.
func rsaBits(key ssh.PublicKey) int {
	if c, ok := key.(ssh.CryptoPublicKey); ok {
		if r, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok {
			return r.N.BitLen()
		}
	}
	return 0
}

func (k *hostKeys) named(file string) string { return or(k.names[file], file) }

// krlMagic is how a key revocation list begins (PROTOCOL.krl).
const krlMagic = "SSHKRL\n"

// notRevokedByFile holds RevokedHostKeys, as far as it is a list of keys.
func (k *hostKeys) notRevokedByFile(key ssh.PublicKey) error {
	file := k.settings.RevokedHostKeys
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("revoked host keys: %w", err) // as in ssh: a list that cannot be read revokes all
	}
	if bytes.HasPrefix(data, []byte(krlMagic)) {
		return &StockError{"RevokedHostKeys", file + " is a key revocation list"}
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		revoked, _, _, _, err := ssh.ParseAuthorizedKey(line)
		if err != nil {
			return fmt.Errorf("revoked host keys: %s:%d: %w", file, n, err)
		}
		if bytes.Equal(revoked.Marshal(), key.Marshal()) {
			return &RevokedHostKeyError{knownhosts.Normalize(k.address()), key.Type(), ssh.FingerprintSHA256(key), file, n}
		}
	}
	return nil
}

// decide asks about an unknown key, as far as the configuration lets it.
func (k *hostKeys) decide(ctx context.Context, name, remote string, key ssh.PublicKey) error {
	refused := &UnknownHostKeyError{name, key.Type(), ssh.FingerprintSHA256(key)}
	if cert, ok := key.(*ssh.Certificate); ok {
		return fmt.Errorf("%w; it is a certificate of the authority %s, which no @cert-authority line names", refused, ssh.FingerprintSHA256(cert.SignatureKey))
	}
	if k.settings.VerifyHostKeyDNS && k.settings.StrictHostKeys != "no" && k.settings.StrictHostKeys != "accept-new" {
		return &StockError{"VerifyHostKeyDNS", "the host's key is in no known_hosts file, and its fingerprint may be in DNS"}
	}
	file := ""
	if len(k.settings.KnownHosts) > 0 {
		file = k.settings.KnownHosts[0]
	}
	switch k.settings.StrictHostKeys {
	case "yes":
		return refused
	case "ask":
		if k.settings.BatchMode {
			return refused
		}
		resume := k.waiting()
		yes, err := k.asker.confirm(ctx, HostKeyQuestion{name, remote, key.Type(), ssh.FingerprintSHA256(key), file})
		resume()
		if err != nil {
			return fmt.Errorf("%w: %w", refused, err)
		}
		if !yes {
			return refused
		}
	}
	if file == "" {
		return nil
	}
	if err := k.remember(file, name, key); err != nil { // as ssh: it is a pity, not a danger
		k.notice(fmt.Sprintf("the host key of %s could not be kept, and will be asked about again: %v", name, err))
	}
	return nil
}

// remember appends a key to a known_hosts file, under a lock on it. The file is
// never replaced, and what is no regular file (/dev/null) is left alone.
func (k *hostKeys) remember(file, name string, key ssh.PublicKey) error {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = k.appendTo(f, name, key)
	return errors.Join(err, f.Close())
}

func (k *hostKeys) appendTo(f *os.File, name string, key ssh.PublicKey) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil { // ends with the file
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	here := k.settings
	here.KnownHosts, here.GlobalKnownHosts = []string{f.Name()}, nil
	now, err := newHostKeys(here, Asker{}, nil, k.notice)
	if err != nil {
		return err
	}
	if now.db.HostKeyCallback()(k.address(), noAddress, key) == nil {
		return nil // another login was quicker
	}
	if k.settings.HashKnownHosts {
		name = xknownhosts.HashHostname(name)
	}
	line := fmt.Sprintf("%s %s", name, ssh.MarshalAuthorizedKey(key))
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err = f.WriteString(line)
	return err
}
