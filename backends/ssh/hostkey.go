package ssh

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
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
}

// newHostKeys reads the known_hosts files. waiting is called around a question.
func newHostKeys(s Settings, a Asker, waiting func() func()) (*hostKeys, error) {
	k := &hostKeys{settings: s, asker: a, names: map[string]string{}, waiting: waiting}
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
// them, too. A line that revokes a key is never skipped.
func (k *hostKeys) readable(file string) (string, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("known hosts: %w", err)
	}
	lines := bytes.Split(data, []byte("\n"))
	bad := false
	for i, line := range lines {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if _, _, _, _, _, err := ssh.ParseKnownHosts(append(slices.Clone(line), '\n')); err == nil {
			continue
		}
		if bytes.HasPrefix(line, []byte("@revoked")) {
			return "", fmt.Errorf("known hosts: %s:%d: a line that revokes a key cannot be read; correct it", file, i+1)
		}
		lines[i], bad = nil, true
	}
	if !bad {
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
	all := k.settings.HostKeyAlgorithms
	if all == nil {
		all = ssh.SupportedAlgorithms().HostKeys
	} else {
		known := slices.Concat(ssh.SupportedAlgorithms().HostKeys, ssh.InsecureAlgorithms().HostKeys)
		all = intersect(all, known)
	}
	first := k.db.HostKeyAlgorithms(k.address())
	if len(first) == 0 {
		first = k.db.HostKeyAlgorithms(k.withoutPort())
	}
	first = intersect(first, all)
	// Without an authority that is known, a certificate would say nothing, and
	// the key below it would not be shown.
	if !slices.ContainsFunc(first, isCertificate) {
		all = slices.DeleteFunc(slices.Clone(all), isCertificate)
	}
	return append(first, slices.DeleteFunc(slices.Clone(all), func(a string) bool { return slices.Contains(first, a) })...)
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

func (k *hostKeys) named(file string) string { return or(k.names[file], file) }

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
	if bytes.HasPrefix(data, []byte("SSHKRL\n")) {
		return fmt.Errorf("revoked host keys: %s is a key revocation list, which nod cannot read; keep the keys in a plain file", file)
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
	if err := remember(file, name, key, k.settings.HashKnownHosts); err != nil {
		return fmt.Errorf("keep the host key of %s: %w", name, err)
	}
	return nil
}

// remember adds a key to a known_hosts file. The new file replaces the old at
// once, so that no reader sees a part; a lock beside it keeps two of us from
// losing each other's line.
func remember(file, name string, key ssh.PublicKey, hash bool) error {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // the link stays
	}
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // frees the lock, too
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		old = append(old, '\n')
	}
	if hash {
		name = xknownhosts.HashHostname(name)
	}
	return replace(file, fmt.Appendf(old, "%s %s", name, ssh.MarshalAuthorizedKey(key)), mode)
}

// replace writes a file anew, by way of another one in the same folder.
func replace(file string, data []byte, mode os.FileMode) error {
	var id [8]byte
	rand.Read(id[:]) // never fails: see crypto/rand.Read
	tmp := filepath.Join(filepath.Dir(file), ".nod-"+hex.EncodeToString(id[:])+".tmp")
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // whatever the umask is
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp, file)
	}
	if err != nil {
		_ = os.Remove(tmp) // a leftover that says whose it is
	}
	return err
}
