package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Settings are what ssh_config says about a host, with everything expanded.
type Settings struct {
	Host     Host // as it was asked for
	HostName string
	Port     int
	User     string

	HostKeyAlias      string
	HostKeyAlgorithms []string // empty: what the library prefers
	Ciphers           []string // empty: what the library prefers
	MACs              []string // empty: what the library prefers
	KeyExchanges      []string // empty: what the library prefers
	KnownHosts        []string // the user's files; new keys go into the first
	GlobalKnownHosts  []string
	RevokedHostKeys   string // a file, or empty
	StrictHostKeys    string // "ask", "yes", "no" or "accept-new"
	HashKnownHosts    bool

	IdentityFiles    []string
	CertificateFiles []string
	IdentitiesOnly   bool
	IdentityAgent    string // the agent's socket; empty means none
	Methods          []string
	PasswordPrompts  int
	BatchMode        bool // nobody is asked anything

	ProxyJump      string // as written, "" for none
	ProxyCommand   string // expanded, "" for none
	ConnectTimeout time.Duration
	Tries          int    // ConnectionAttempts
	AddressFamily  string // "inet" or "inet6"; "" for both
	BindAddress    string

	SetEnv  []string // NAME=value
	SendEnv []string // patterns

	ControlPath string // of the operator's own master, "" for none
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
		defaults, err = dump(ctx, binary, "-G", "-F", "none", "--", "localhost")
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
	host, err = dump(ctx, binary, append(args, "--", h.Name)...)
	return host, defaults, errors.Join(err, <-done)
}

// dump runs "ssh -G" and reads what it prints.
func dump(ctx context.Context, binary string, args ...string) (values, error) {
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

// catch is a file in memory for what a program prints. Unlike a pipe it is not
// waited for when the program has ended: a Match exec may leave something behind
// that holds it open.
type catch struct{ file *os.File }

func newCatch(name string) (catch, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return catch{}, fmt.Errorf("ssh: a file in memory: %w", err)
	}
	return catch{os.NewFile(uintptr(fd), name)}, nil
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

// unsupported are options that change how a login works and that nod does not
// have.
var unsupported = []string{"pkcs11provider"}

func newSettings(h Host, v, defaults values, opt Options) (Settings, error) {
	for _, name := range unsupported {
		if v.first(name) != "" {
			return Settings{}, fmt.Errorf("%s is set for %q, which nod cannot do; add the key to an agent and take the option out", name, h.Name)
		}
	}
	if v.yes("proxyusefdpass") && v.first("proxycommand") != "" {
		return Settings{}, fmt.Errorf("ProxyUseFdpass is set for %q, which nod cannot do; use ProxyJump or a ProxyCommand that stays", h.Name)
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
		HostKeyAlgorithms: explicit(v, defaults, "hostkeyalgorithms"),
		Ciphers:           explicit(v, defaults, "ciphers"),
		MACs:              explicit(v, defaults, "macs"),
		KeyExchanges:      explicit(v, defaults, "kexalgorithms"),
		Methods:           methods(v),
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
	e := expander{home: opt.Home, local: opt.User, host: s.HostName, name: h.Name, port: s.Port, user: s.User, jump: s.ProxyJump, alias: s.HostKeyAlias}
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
	return s, nil
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
		return os.Getenv(strings.Trim(set[0][1:], "{}"))
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
