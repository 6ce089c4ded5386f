package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Settings are what ssh_config says about a host, with everything expanded.
type Settings struct {
	Host     Host // as it was asked for
	HostName string
	Port     int
	User     string

	HostKeyAlias      string
	HostKeyAlgorithms []string // in order of preference
	Ciphers           []string // empty: what the library prefers
	MACs              []string // empty: what the library prefers
	KeyExchanges      []string // empty: what the library prefers
	KnownHosts        []string // the user's files; new keys go into the first
	GlobalKnownHosts  []string
	RevokedHostKeys   string // a file, or empty
	StrictHostKeys    string // "ask", "yes", "no" or "accept-new"
	HashKnownHosts    bool
	TrustLocalhost    bool // NoHostAuthenticationForLocalhost
	VerifyHostKeyDNS  bool

	CASignatureAlgorithms []string // of host certificates
	RequiredRSASize       int      // in bits, of host keys and of the operator's

	IdentityFiles    []string
	CertificateFiles []string
	IdentitiesOnly   bool
	PubkeyAlgorithms []string // PubkeyAcceptedAlgorithms, in order of preference
	AddKeysToAgent   string   // "", "yes", "confirm", or for how many seconds
	IdentityAgent    string   // the agent's socket; empty means none
	Methods          []string
	GSSAPI           bool // the operator's ssh may log in with a Kerberos ticket
	Hostbased        bool // or by this machine's own key
	PasswordPrompts  int
	BatchMode        bool // nobody is asked anything

	ProxyJump      string // as written, "" for none
	ProxyCommand   string // expanded, "" for none
	ConnectTimeout time.Duration
	Tries          int    // ConnectionAttempts
	AddressFamily  string // "inet" or "inet6"; "" for both
	BindAddress    string
	BindInterface  string
	TCPKeepAlive   bool
	RekeyBytes     uint64 // RekeyLimit; 0: the library's own
	LocalCommand   string // expanded, run after the login; "" for none

	SetEnv  []string // NAME=value
	SendEnv []string // patterns

	ControlPath string // of the operator's own master, "" for none

	// Stock says why only the system's ssh can log in there; nil if nod can.
	Stock  *StockError
	Offers []string // all ciphers, MACs and key exchanges that the operator's ssh would offer

	// NotDone are notes for the operator: what the configuration asks for besides
	// the login and nod does not do.
	NotDone []string
}

// defaultConnectTimeout holds where ssh_config has none. The kernel's own is
// two minutes.
const defaultConnectTimeout = 15 * time.Second

// Resolve asks the operator's own ssh what ssh_config says about a host, or
// reads the files itself where there is no ssh.
func Resolve(ctx context.Context, h Host, opt Options) (Settings, error) {
	if err := h.check(); err != nil {
		return Settings{}, fmt.Errorf("ssh: %w", err)
	}
	opt = opt.withDefaults()
	values, defaults, err := opt.lookup(ctx, h)
	if err != nil {
		return Settings{}, err
	}
	s, err := newSettings(h, values, defaults, opt)
	if err != nil {
		return Settings{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return s, nil
}

// values are options by their names in lower case, as "ssh -G" prints them.
type values map[string][]string

func (v values) first(name string) string {
	if len(v[name]) == 0 || v[name][0] == "none" {
		return ""
	}
	return v[name][0]
}

func (v values) yes(name string) bool {
	return slices.Contains([]string{"yes", "true"}, v.first(name))
}

// lookup returns the options for a host, and those that hold without any
// configuration.
func (o Options) lookup(ctx context.Context, h Host) (host, defaults values, err error) {
	binary, err := exec.LookPath(o.SSH)
	if err != nil {
		host, err = readConfig(h, o)
		return host, values{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, defaultConnectTimeout)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		var err error
		defaults, err = builtIn.of(ctx, binary, o)
		done <- err
	}()
	args := []string{"-G"}
	if o.Config != "" {
		args = append(args, "-F", o.Config)
	}
	if h.User != "" {
		args = append(args, "-l", h.User)
	}
	if h.Port != 0 {
		args = append(args, "-p", strconv.Itoa(h.Port))
	}
	host, err = o.dump(ctx, binary, append(args, "--", h.Name)...)
	return host, defaults, errors.Join(err, <-done)
}

// builtIn are the options that hold without any configuration, of the ssh that was last
// asked. They are the program's own: many hosts need not ask for them each.
var builtIn = builtInOptions{asking: make(chan struct{}, 1)}

type builtInOptions struct {
	asking chan struct{} // has room for one: who asks, or looks whether somebody has
	binary string
	info   fs.FileInfo // of the binary
	values values
}

// of are the options of a binary, which is asked anew when it is another one than before.
func (b *builtInOptions) of(ctx context.Context, binary string, o Options) (values, error) {
	select {
	case b.asking <- struct{}{}:
		defer func() { <-b.asking }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	info, err := os.Stat(binary)
	if err != nil {
		return nil, fmt.Errorf("ssh: %w", err)
	}
	if same := b.info; same != nil && b.binary == binary && os.SameFile(same, info) && same.Size() == info.Size() && same.ModTime().Equal(info.ModTime()) {
		return b.values, nil
	}
	v, err := o.dump(ctx, binary, "-G", "-F", "none", "--", "localhost")
	if err == nil {
		b.binary, b.info, b.values = binary, info, v
	}
	return v, err
}

// dump runs "ssh -G" and reads what it prints.
func (o Options) dump(ctx context.Context, binary string, args ...string) (values, error) {
	stdout, err := newCatch("stdout")
	if err != nil {
		return nil, err
	}
	defer stdout.close()
	stderr, err := newCatch("stderr")
	if err != nil {
		return nil, err
	}
	defer stderr.close()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env, cmd.Dir = o.Env, o.Dir
	cmd.Stdout, cmd.Stderr = stdout.file, stderr.file
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: ssh %s: %w", ErrConfig, strings.Join(args, " "), context.Cause(ctx))
		}
		said := strings.TrimSpace(strings.ReplaceAll(stderr.text(), "Pseudo-terminal will not be allocated because stdin is not a terminal.", ""))
		if said == "" {
			said = err.Error()
		}
		return nil, fmt.Errorf("%w: ssh rejects it: %s; try it with: ssh %s", ErrConfig, strings.Join(strings.Fields(said), " "), strings.Join(args, " "))
	}
	return parseDump(stdout.text()), nil
}

// catch is a file for what a program prints, in memory on Linux. Unlike a pipe it is not
// waited for when the program has ended: a Match exec may leave something behind
// that holds it open.
type catch struct{ file *os.File }

func newCatch(name string) (catch, error) {
	file, err := memoryFile(name)
	if err != nil {
		return catch{}, fmt.Errorf("ssh: a file in memory: %w", err)
	}
	return catch{file}, nil
}

func (c catch) text() string {
	text, _ := io.ReadAll(io.NewSectionReader(c.file, 0, math.MaxInt64)) // it is memory
	return string(text)
}

func (c catch) close() { _ = c.file.Close() } // what it held has been read

func parseDump(text string) values {
	v := values{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		name = strings.ToLower(name)
		v[name] = append(v[name], value)
	}
	return v
}

func newSettings(h Host, v, defaults values, opt Options) (Settings, error) {
	if text := v.first("refuseconnection"); text != "" {
		return Settings{}, fmt.Errorf("RefuseConnection: %s", text)
	}
	s := Settings{
		Host:              h,
		HostName:          v.first("hostname"),
		User:              v.first("user"),
		HostKeyAlias:      v.first("hostkeyalias"),
		StrictHostKeys:    strict(v.first("stricthostkeychecking")),
		HashKnownHosts:    v.yes("hashknownhosts"),
		IdentitiesOnly:    v.yes("identitiesonly"),
		PasswordPrompts:   number(v.first("numberofpasswordprompts"), 3),
		BatchMode:         v.yes("batchmode"),
		ProxyJump:         v.first("proxyjump"),
		ConnectTimeout:    seconds(v.first("connecttimeout"), defaultConnectTimeout),
		Tries:             number(v.first("connectionattempts"), 1),
		AddressFamily:     v.first("addressfamily"),
		BindAddress:       v.first("bindaddress"),
		SetEnv:            v["setenv"],
		BindInterface:     v.first("bindinterface"),
		TCPKeepAlive:      !slices.Contains([]string{"no", "false"}, v.first("tcpkeepalive")),
		TrustLocalhost:    v.yes("nohostauthenticationforlocalhost"),
		VerifyHostKeyDNS:  v.yes("verifyhostkeydns") || v.first("verifyhostkeydns") == "ask",
		RequiredRSASize:   number(v.first("requiredrsasize"), defaultRSASize),
		HostKeyAlgorithms: listed(v, "hostkeyalgorithms", defaultSignatures),
		PubkeyAlgorithms:  listed(v, "pubkeyacceptedalgorithms", defaultSignatures),

		CASignatureAlgorithms: listed(v, "casignaturealgorithms", defaultAuthorities),
		Ciphers:               explicit(v, defaults, "ciphers"),
		MACs:                  explicit(v, defaults, "macs"),
		KeyExchanges:          explicit(v, defaults, "kexalgorithms"),
		Methods:               methods(v),
		GSSAPI:                v.yes("gssapiauthentication") && opt.kerberos(),
		Hostbased:             v.yes("hostbasedauthentication"),
	}
	if s.AddressFamily == "any" {
		s.AddressFamily = ""
	}
	if s.HostName == "" {
		s.HostName = h.Name
	}
	var err error
	if s.Port, err = parsePort(or(v.first("port"), "22")); err != nil {
		return Settings{}, err
	}
	for _, patterns := range v["sendenv"] {
		s.SendEnv = append(s.SendEnv, strings.Fields(patterns)...)
	}
	if s.User == "" {
		s.User = opt.User
	}
	e := expander{getenv: opt.getenv, home: opt.Home, local: opt.User, host: s.HostName, name: h.Name, port: s.Port, user: s.User, jump: s.ProxyJump, alias: s.HostKeyAlias}
	s.User = e.tokens(s.User)
	e.user = s.User
	s.IdentityFiles = e.paths(v["identityfile"])
	s.CertificateFiles = e.paths(v["certificatefile"])
	s.KnownHosts = e.fileLists(v["userknownhostsfile"])
	s.GlobalKnownHosts = e.fileLists(v["globalknownhostsfile"])
	s.RevokedHostKeys = e.path(v.first("revokedhostkeys"))
	s.ControlPath = e.path(v.first("controlpath"))
	s.ProxyCommand = e.tokens(v.first("proxycommand"))
	s.IdentityAgent = agentSocket(v, e, opt)
	if v.yes("permitlocalcommand") {
		s.LocalCommand = e.tokens(v.first("localcommand"))
	}
	switch add := v.first("addkeystoagent"); add {
	case "", "no", "false", "ask":
	case "true":
		s.AddKeysToAgent = "yes"
	default:
		s.AddKeysToAgent = add
	}
	s.RekeyBytes, _ = strconv.ParseUint(first(strings.Fields(v.first("rekeylimit"))), 10, 64) // "default", which is 0
	for _, name := range []string{"ciphers", "macs", "kexalgorithms"} {
		s.Offers = append(s.Offers, strings.Split(v.first(name), ",")...)
	}
	s.Stock = needsStock(v, s)
	s.NotDone = notDone(v)
	return s, nil
}

// defaultRSASize is what ssh asks for if ssh_config says nothing.
const defaultRSASize = 1024

// What ssh takes if ssh_config says nothing, in its order, for where there is no
// ssh to ask: of authorities' signatures, and of keys.
var (
	defaultAuthorities = []string{
		ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
	}
	defaultSignatures = append([]string{
		ssh.CertAlgoED25519v01, ssh.CertAlgoECDSA256v01, ssh.CertAlgoECDSA384v01, ssh.CertAlgoECDSA521v01,
		ssh.CertAlgoSKED25519v01, ssh.CertAlgoSKECDSA256v01, ssh.CertAlgoRSASHA512v01, ssh.CertAlgoRSASHA256v01,
	}, defaultAuthorities...)
)

// listed is a list of algorithms, as ssh prints it: with what "+" and "-" have
// made of it.
func listed(v values, name string, otherwise []string) []string {
	if list := v.first(name); list != "" {
		return strings.Split(list, ",")
	}
	return slices.Clone(otherwise)
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// explicit is a list of algorithms, if the operator has chosen it: what ssh
// likes best of all is not what is best here.
func explicit(v, defaults values, name string) []string {
	list := v.first(name)
	if list == "" || list == defaults.first(name) {
		return nil
	}
	return strings.Split(list, ",")
}

func strict(value string) string {
	switch value {
	case "true", "yes":
		return "yes"
	case "false", "no", "off":
		return "no"
	case "accept-new":
		return value
	}
	return "ask"
}

// methods are the ways to log in that are allowed, in order of preference.
func methods(v values) []string {
	order := []string{"publickey", "keyboard-interactive", "password"}
	if list := v.first("preferredauthentications"); list != "" {
		order = strings.Split(list, ",")
	}
	off := map[string]string{
		"publickey":            "pubkeyauthentication",
		"keyboard-interactive": "kbdinteractiveauthentication",
		"password":             "passwordauthentication",
	}
	return slices.DeleteFunc(order, func(m string) bool {
		option, known := off[m]
		return !known || slices.Contains([]string{"no", "false"}, v.first(option))
	})
}

// agentSocket is where the agent listens, by IdentityAgent or the environment.
func agentSocket(v values, e expander, opt Options) string {
	set := v["identityagent"]
	switch {
	case len(set) == 0 || set[0] == "SSH_AUTH_SOCK":
		return opt.Agent
	case set[0] == "none":
		return ""
	case strings.HasPrefix(set[0], "$"):
		return opt.getenv(strings.Trim(set[0][1:], "{}"))
	}
	return e.path(set[0])
}

func number(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return n
	}
	return otherwise
}

func seconds(s string, otherwise time.Duration) time.Duration {
	return time.Duration(number(s, int(otherwise/time.Second))) * time.Second
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
