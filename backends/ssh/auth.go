package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// login hands the server one way to log in after the other. Keys go one at a
// time, so that a passphrase is asked for only when the server wants that key,
// and a wrong one costs only its key.
type login struct {
	ctx      context.Context // of the dial; the library's callbacks have none
	host     string          // the target's name
	settings Settings
	asker    Asker
	step     func(detail string)
	notice   func(text string)
	waiting  func() (resume func())
	vault    *vault

	agent *agentConn // nil if there is none

	keys      []key
	gathered  bool
	maxKeys   int
	challenge int // how often keyboard-interactive was begun
	password  int // how often a password was asked for

	private map[string]any // by file, what the agent may get; see addToAgent
	offered string         // the key that was offered last
	token   string         // the file of a key that is on a security key, or ""
	stock   *StockError    // why the login is left to the system's ssh

	mu      sync.Mutex
	tried   []string
	missed  []string
	allowed []string
}

// key is one that can be offered.
type key struct {
	name   string // its file, or the agent's comment
	signer ssh.Signer
}

// vault keeps opened private keys for the time that a target is in use, so
// that connecting again does not ask for their passphrases again.
type vault struct {
	mu     sync.Mutex
	opened map[string]ssh.Signer // by file
}

func newVault() *vault { return &vault{opened: map[string]ssh.Signer{}} }

func (v *vault) get(file string) ssh.Signer {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.opened[file]
}

func (v *vault) put(file string, s ssh.Signer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.opened[file] = s
}

func (l *login) note(list *[]string, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*list = append(*list, what)
}

// failure is the error of a login that did not come about.
func (l *login) failure(err error) *AuthError {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &AuthError{User: l.settings.User, Tried: l.tried, Missed: l.missed, Allowed: l.allowed, Err: err}
}

// close frees the connection to the agent; the session needs it no more.
func (l *login) close() {
	if l.agent != nil {
		l.agent.close()
	}
}

// next is the client's AuthCallback: the next way, or an error if none is left.
func (l *login) next(c *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	l.mu.Lock()
	l.allowed = c.AllowedMethods
	l.mu.Unlock()
	if l.ctx.Err() != nil {
		return nil, context.Cause(l.ctx)
	}
	for _, method := range l.settings.Methods {
		if !slices.Contains(c.AllowedMethods, method) {
			continue
		}
		if method != "publickey" {
			if l.stock = l.stockWay(c.AllowedMethods); l.stock != nil {
				return nil, l.stock
			}
		}
		var m ssh.AuthMethod
		switch method {
		case "publickey":
			m = l.nextKey()
		case "keyboard-interactive":
			m = l.nextChallenge()
		case "password":
			m = l.nextPassword()
		}
		if m != nil {
			return m, nil
		}
	}
	if l.stock = l.stockWay(c.AllowedMethods); l.stock != nil {
		return nil, l.stock
	}
	return nil, errNoMore
}

// errNoMore ends a login.
var errNoMore = errors.New("nothing is left to try")

func (l *login) nextKey() ssh.AuthMethod {
	if !l.gathered {
		l.gathered = true
		l.gather()
	}
	if len(l.keys) == 0 {
		return nil
	}
	k := l.keys[0]
	l.keys = l.keys[1:]
	l.offered = k.name
	what := "publickey " + k.name
	l.note(&l.tried, what)
	l.step(what)
	return ssh.PublicKeys(k.signer)
}

// gather collects the keys to offer: those that ssh_config names, held by the
// agent or in files, then the agent's others unless IdentitiesOnly.
func (l *login) gather() {
	inAgent := l.agentKeys()
	certs := l.certificates()
	var used [][]byte
	add := func(k key) {
		if k.signer = l.allowedSigner(k); k.signer == nil {
			return
		}
		blob := k.signer.PublicKey().Marshal()
		if slices.ContainsFunc(used, func(b []byte) bool { return bytes.Equal(b, blob) }) {
			return
		}
		used = append(used, blob)
		l.keys = append(l.keys, k)
	}
	for _, file := range l.settings.IdentityFiles {
		signer := l.fileKey(file, inAgent)
		if signer == nil {
			continue
		}
		for _, c := range certs {
			if certified(c.cert, signer.PublicKey()) {
				if s, err := ssh.NewCertSigner(c.cert, signer); err == nil {
					add(key{c.file, s})
				}
			}
		}
		add(key{file, signer})
	}
	for _, k := range inAgent {
		if l.settings.IdentitiesOnly {
			break
		}
		for _, c := range certs {
			if certified(c.cert, k.signer.PublicKey()) {
				if s, err := ssh.NewCertSigner(c.cert, k.signer); err == nil {
					add(key{c.file, s})
				}
			}
		}
		add(k)
	}
	if extra := len(l.keys) - l.maxKeys; extra > 0 {
		l.keys = l.keys[:l.maxKeys]
		l.note(&l.missed, fmt.Sprintf("%d more keys, since servers end the login after some; name the right one with IdentityFile and set IdentitiesOnly", extra))
	}
}

// allowedSigner is a key that signs as PubkeyAcceptedAlgorithms has it, in that
// order. Nil means that it may not be used; why is noted.
func (l *login) allowedSigner(k key) ssh.Signer {
	pub := k.signer.PublicKey()
	base := pub
	if c, ok := pub.(*ssh.Certificate); ok {
		base = c.Key
	}
	if bits := rsaBits(base); bits > 0 && bits < l.settings.RequiredRSASize {
		l.note(&l.missed, fmt.Sprintf("%s (it has %d bits, RequiredRSASize asks for %d)", k.name, bits, l.settings.RequiredRSASize))
		return nil
	}
	var algorithms []string
	for _, a := range l.settings.PubkeyAlgorithms {
		if signature, ok := signatureOf(a, pub.Type()); ok {
			algorithms = append(algorithms, signature)
		}
	}
	if len(algorithms) == 0 {
		l.note(&l.missed, fmt.Sprintf("%s (PubkeyAcceptedAlgorithms does not allow %s)", k.name, pub.Type()))
		return nil
	}
	if s, ok := k.signer.(ssh.AlgorithmSigner); ok {
		if limited, err := ssh.NewSignerWithAlgorithms(s, algorithms); err == nil { // else it is bound to fewer already
			return limited
		}
	}
	return k.signer
}

// signatureOf is the algorithm of signatures that an entry of
// PubkeyAcceptedAlgorithms allows for keys of a type, if it is for them.
func signatureOf(entry, keyType string) (signature string, ok bool) {
	const certificate = "-cert-v01@openssh.com"
	plain, certified := strings.CutSuffix(entry, certificate)
	if certified != strings.HasSuffix(keyType, certificate) {
		return "", false
	}
	if certified && strings.HasPrefix(plain, "sk-") {
		plain += "@openssh.com"
	}
	rsa := slices.Contains([]string{ssh.KeyAlgoRSA, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512}, plain)
	return plain, entry == keyType || rsa && strings.HasPrefix(keyType, ssh.KeyAlgoRSA)
}

// agentKeys are the keys that the agent holds.
func (l *login) agentKeys() []key {
	if l.settings.IdentityAgent == "" {
		return nil
	}
	a, err := dialAgent(l.ctx, l.settings.IdentityAgent)
	if err != nil {
		l.note(&l.missed, fmt.Sprintf("the agent: %v; start one and ssh-add a key, or unset SSH_AUTH_SOCK", err))
		return nil
	}
	l.agent = a
	list, err := a.list()
	if err != nil {
		l.note(&l.missed, fmt.Sprintf("the agent: %v", err))
		return nil
	}
	signers, err := a.Signers()
	if err != nil {
		l.note(&l.missed, fmt.Sprintf("the agent: %v", err))
		return nil
	}
	var keys []key
	for _, s := range signers {
		name := "of the agent"
		for _, k := range list {
			if bytes.Equal(k.Marshal(), s.PublicKey().Marshal()) && k.Comment != "" {
				name = k.Comment + " (agent)"
			}
		}
		keys = append(keys, key{name, s})
	}
	return keys
}

// agentConn is a connection to an agent.
type agentConn struct {
	agent.ExtendedAgent
	conn net.Conn
	stop func() bool // ends the watch over the dial's context
}

// agentTime bounds what an agent does by itself. Signing may need a touch or a
// confirmation, so that it has the time that a human takes.
const agentTime = 10 * time.Second

func dialAgent(life context.Context, socket string) (*agentConn, error) {
	ctx, cancel := context.WithTimeout(life, agentTime)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	return &agentConn{agent.NewClient(conn), conn, context.AfterFunc(life, func() { _ = conn.Close() })}, nil
}

// list asks for the keys. An agent that does not answer is left alone.
func (a *agentConn) list() ([]*agent.Key, error) {
	if err := a.conn.SetDeadline(time.Now().Add(agentTime)); err != nil {
		return nil, err
	}
	list, err := a.List()
	if err != nil {
		return nil, err
	}
	return list, a.conn.SetDeadline(time.Time{})
}

func (a *agentConn) close() {
	a.stop()
	_ = a.conn.Close() // only asked
}

// nextChallenge is one round of keyboard-interactive, as often as passwords
// may be asked for.
func (l *login) nextChallenge() ssh.AuthMethod {
	if l.settings.BatchMode || l.asker.Secret == nil || l.challenge >= l.settings.PasswordPrompts {
		if l.challenge == 0 {
			l.challenge = l.settings.PasswordPrompts + 1
			l.note(&l.missed, "keyboard-interactive (nobody can be asked)")
		}
		return nil
	}
	l.challenge++
	try := l.challenge
	l.note(&l.tried, "keyboard-interactive")
	l.step("keyboard-interactive")
	return ssh.KeyboardInteractive(func(_, instruction string, prompts []string, echos []bool) ([]string, error) {
		var answers []string
		for i, prompt := range prompts {
			a, err := l.ask(SecretQuestion{Kind: Challenge, Instruction: instruction, Prompt: prompt, Echo: echos[i], Try: try})
			if err != nil {
				l.challenge = l.settings.PasswordPrompts // who says no is not asked again
				return nil, err
			}
			answers = append(answers, a)
		}
		return answers, nil
	})
}

func (l *login) nextPassword() ssh.AuthMethod {
	if l.settings.BatchMode || l.asker.Secret == nil || l.password >= l.settings.PasswordPrompts {
		if l.password == 0 {
			l.password = l.settings.PasswordPrompts + 1
			l.note(&l.missed, "password (nobody can be asked)")
		}
		return nil
	}
	l.password++
	try := l.password
	l.note(&l.tried, "password")
	l.step("password")
	return ssh.PasswordCallback(func() (string, error) {
		answer, err := l.ask(SecretQuestion{Kind: Password, Prompt: "Password", Try: try})
		if err != nil {
			l.password = l.settings.PasswordPrompts
		}
		return answer, err
	})
}

// ask puts a question while the clock of the connection stands still.
func (l *login) ask(q SecretQuestion) (string, error) {
	defer l.waiting()()
	q.Host, q.User = l.host, l.settings.User
	return l.asker.secret(l.ctx, q)
}

// certificate is a user certificate and its file.
type certificate struct {
	file string
	cert *ssh.Certificate
}

// certificates reads the user certificates: those that are named, and those
// beside the keys.
func (l *login) certificates() []certificate {
	files := slices.Clone(l.settings.CertificateFiles)
	for _, f := range l.settings.IdentityFiles {
		files = append(files, f+"-cert.pub")
	}
	var all []certificate
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			if i < len(l.settings.CertificateFiles) {
				l.note(&l.missed, err.Error())
			}
			continue
		}
		pub, _, _, _, err := ssh.ParseAuthorizedKey(data)
		if err != nil {
			l.note(&l.missed, fmt.Sprintf("%s: %v", file, err))
			continue
		}
		cert, ok := pub.(*ssh.Certificate)
		if !ok {
			l.note(&l.missed, file+": is no certificate")
			continue
		}
		now := uint64(time.Now().Unix())
		if cert.ValidBefore != ssh.CertTimeInfinity && now >= cert.ValidBefore {
			l.note(&l.missed, fmt.Sprintf("%s: the certificate ended on %s", file, time.Unix(int64(cert.ValidBefore), 0).Format(time.DateTime)))
			continue
		}
		all = append(all, certificate{file, cert})
	}
	return all
}

// certified reports whether a certificate is for a key.
func certified(c *ssh.Certificate, pub ssh.PublicKey) bool {
	return bytes.Equal(c.Key.Marshal(), pub.Marshal())
}
