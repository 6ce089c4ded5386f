package ssh

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// fileKey is the key of an IdentityFile: the agent's where it holds it, else
// the file's own, which stays closed until the server wants it. Nil means that
// there is nothing to offer; why is noted unless the file just is not there.
func (l *login) fileKey(file string, inAgent []key) ssh.Signer {
	if s := l.vault.get(file); s != nil {
		return s
	}
	pub := publicKey(file)
	if pub != nil {
		if s := held(pub, inAgent); s != nil {
			return s
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.note(&l.missed, err.Error())
		}
		return nil
	}
	if p, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil { // IdentityFile may be the public half of an agent's key
		if s := held(p, inAgent); s != nil {
			return s
		}
		l.note(&l.missed, file+": is a public key, and the agent does not hold the private one; ssh-add it")
		return nil
	}
	if pub != nil && strings.HasPrefix(pub.Type(), "sk-") {
		l.token = file
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o077 != 0 {
		l.note(&l.missed, fmt.Sprintf("%s: others may read it (%v); chmod 600 it", file, info.Mode().Perm()))
		return nil
	}
	return l.privateKey(file, data, pub, inAgent)
}

// privateKey is the key in a file: the agent's where it holds it, else the file's own. pub is
// its public half, if there is a file of that. Nil means that there is nothing to offer.
func (l *login) privateKey(file string, data []byte, pub ssh.PublicKey, inAgent []key) ssh.Signer {
	signer, err := ssh.ParsePrivateKey(data)
	var locked *ssh.PassphraseMissingError
	switch {
	case err == nil:
		if s := held(signer.PublicKey(), inAgent); s != nil {
			return s
		}
		l.opened(file, data, nil)
		return signer
	case !errors.As(err, &locked):
		l.note(&l.missed, fmt.Sprintf("%s: %v", file, err))
		return nil
	}
	if locked.PublicKey != nil {
		pub = locked.PublicKey
		if s := held(pub, inAgent); s != nil {
			return s
		}
	}
	k := &lockedKey{login: l, file: file, data: data, pub: pub}
	if pub == nil { // an old format, which has to be opened to know what it is
		if err := k.open(); err != nil {
			return nil
		}
		return k.signer
	}
	return k
}

// publicKey reads the file beside a private key.
func publicKey(file string) ssh.PublicKey {
	data, err := os.ReadFile(file + ".pub")
	if err != nil {
		return nil
	}
	pub, _, _, _, err := ssh.ParseAuthorizedKey(data)
	if err != nil {
		return nil
	}
	return pub
}

// held finds the agent's key with the given public half.
func held(pub ssh.PublicKey, inAgent []key) ssh.Signer {
	for _, k := range inAgent {
		if bytes.Equal(k.signer.PublicKey().Marshal(), pub.Marshal()) {
			return k.signer
		}
	}
	return nil
}

// lockedKey is a private key whose passphrase is asked for when it has to sign.
type lockedKey struct {
	login  *login
	file   string
	data   []byte
	pub    ssh.PublicKey
	signer ssh.Signer
}

var _ ssh.AlgorithmSigner = (*lockedKey)(nil)

// PublicKey implements [ssh.Signer].
func (k *lockedKey) PublicKey() ssh.PublicKey { return k.pub }

// Sign implements [ssh.Signer].
func (k *lockedKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return k.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm implements [ssh.AlgorithmSigner].
func (k *lockedKey) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	if k.signer == nil {
		if err := k.open(); err != nil {
			return nil, err
		}
	}
	if s, ok := k.signer.(ssh.AlgorithmSigner); ok && algorithm != "" {
		return s.SignWithAlgorithm(rand, data, algorithm)
	}
	return k.signer.Sign(rand, data)
}

// open asks for the passphrase until it is right, or as often as ssh does.
func (k *lockedKey) open() error {
	l := k.login
	if l.settings.BatchMode || l.asker.Secret == nil {
		l.note(&l.missed, k.file+" (nobody can be asked for its passphrase)")
		return ErrNotAnswered
	}
	for try := 1; try <= l.settings.PasswordPrompts; try++ {
		answer, err := l.ask(SecretQuestion{Kind: Passphrase, Key: k.file, Prompt: "Passphrase for " + k.file, Try: try})
		if err != nil {
			l.note(&l.missed, fmt.Sprintf("%s (%v)", k.file, err))
			return err
		}
		if k.signer, err = ssh.ParsePrivateKeyWithPassphrase(k.data, []byte(answer)); err == nil {
			l.vault.put(k.file, k.signer)
			l.opened(k.file, k.data, []byte(answer))
			return nil
		}
	}
	l.note(&l.missed, k.file+" (wrong passphrase)")
	return errors.New("wrong passphrase")
}

// opened keeps the private half of a file for the agent, where it is to get it.
func (l *login) opened(file string, data, passphrase []byte) {
	if l.settings.AddKeysToAgent == "" {
		return
	}
	var private any
	var err error
	if passphrase == nil {
		private, err = ssh.ParseRawPrivateKey(data)
	} else {
		private, err = ssh.ParseRawPrivateKeyWithPassphrase(data, passphrase)
	}
	if err == nil { // it was read before
		l.private[file] = private
	}
}

// addToAgent gives the agent the key that was offered last, as AddKeysToAgent has
// it. That it cannot is no reason to end a login.
func (l *login) addToAgent() {
	private, ok := l.private[l.offered]
	if !ok || l.agent == nil {
		return
	}
	added := agent.AddedKey{PrivateKey: private, Comment: l.offered}
	for _, word := range strings.Fields(l.settings.AddKeysToAgent) {
		if seconds, err := strconv.ParseUint(word, 10, 32); err == nil {
			added.LifetimeSecs = uint32(seconds)
		} else if word == "confirm" {
			added.ConfirmBeforeUse = true
		}
	}
	if err := l.agent.Add(added); err != nil {
		l.notice(fmt.Sprintf("the key %s is not added to the agent: %v", l.offered, err))
	}
}
