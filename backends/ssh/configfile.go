package ssh

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nod-console/nod/backends/ssh/mux"
)

// Where there is no ssh to ask, ssh_config is read here, as far as it is plain:
// Host with patterns, "Match all" and Include, and the options that Settings
// have. "Match" with anything else is an error, since leaving it out could
// connect to another host than the operator's ssh would.

const maxIncludes = 16 // as in ssh

type configReader struct {
	host   Host
	home   string
	values values
	active bool // what is read applies to the host
}

// several are the options of which every value counts, not only the first.
var several = []string{"identityfile", "certificatefile", "sendenv", "setenv"}

// relative are the lists that a value can change in place of naming one.
var relative = []string{"ciphers", "macs", "kexalgorithms", "hostkeyalgorithms", "pubkeyacceptedalgorithms", "casignaturealgorithms"}

// readConfig reads the operator's file (or opt.Config) and the system's.
func readConfig(h Host, opt Options) (values, error) {
	r := &configReader{host: h, home: opt.Home, values: values{}}
	if h.User != "" {
		r.values["user"] = []string{h.User}
	}
	if h.Port != 0 {
		r.values["port"] = []string{fmt.Sprint(h.Port)}
	}
	files := []string{filepath.Join(opt.Home, ".ssh/config"), "/etc/ssh/ssh_config"}
	if opt.Config != "" {
		files = []string{opt.Config}
	}
	for _, file := range files {
		r.active = true
		err := r.read(file, 0)
		if errors.Is(err, fs.ErrNotExist) && opt.Config == "" {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	e := expander{host: h.Name, name: h.Name, home: opt.Home, local: opt.User}
	if name := r.values.first("hostname"); name != "" {
		r.values["hostname"] = []string{e.tokens(name)}
	}
	if len(r.values["identityfile"]) == 0 {
		r.values["identityfile"] = []string{"~/.ssh/id_rsa", "~/.ssh/id_ecdsa", "~/.ssh/id_ecdsa_sk", "~/.ssh/id_ed25519", "~/.ssh/id_ed25519_sk", "~/.ssh/id_xmss", "~/.ssh/id_dsa"}
	}
	if len(r.values["userknownhostsfile"]) == 0 {
		r.values["userknownhostsfile"] = []string{"~/.ssh/known_hosts ~/.ssh/known_hosts2"}
	}
	if len(r.values["globalknownhostsfile"]) == 0 {
		r.values["globalknownhostsfile"] = []string{"/etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2"}
	}
	return r.values, nil
}

func (r *configReader) read(file string, depth int) error {
	if depth > maxIncludes {
		return fmt.Errorf("%s: more than %d files include each other", file, maxIncludes)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if err := r.line(strings.TrimSpace(line), file, depth); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return nil
}

func (r *configReader) line(line, file string, depth int) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	cut := strings.IndexAny(line, " \t=")
	if cut < 0 {
		return fmt.Errorf("%q has no value", line)
	}
	name := strings.ToLower(line[:cut])
	value := strings.TrimLeft(line[cut:], " \t")
	value = strings.TrimSpace(strings.TrimPrefix(value, "="))
	switch name {
	case "host":
		r.active = matchHost(words(value), r.host.Name)
	case "match":
		if strings.ToLower(value) != "all" {
			return fmt.Errorf("\"Match %s\" needs an ssh to ask; install openssh-client", value)
		}
		r.active = true
	case "include":
		return r.include(words(value), file, depth)
	default:
		if slices.Contains(relative, name) && value != strings.TrimLeft(value, "+-^") {
			return fmt.Errorf("\"%s\" changes ssh's own list and needs an ssh to ask; install openssh-client", line)
		}
		r.set(name, value)
	}
	return nil
}

func (r *configReader) set(name, value string) {
	if !r.active {
		return
	}
	switch {
	case name == "setenv":
		r.values[name] = append(r.values[name], words(value)...)
	case slices.Contains(several, name):
		r.values[name] = append(r.values[name], value)
	case len(r.values[name]) == 0:
		if name != "proxycommand" && name != "userknownhostsfile" && name != "globalknownhostsfile" {
			value = unquote(value)
		}
		r.values[name] = []string{value}
	}
}

// include reads other files in place; what they end with does not go on here.
func (r *configReader) include(patterns []string, file string, depth int) error {
	before := r.active
	for _, p := range patterns {
		for _, f := range included(p, file, r.home) {
			r.active = before
			if !before {
				continue // a block that does not apply includes nothing
			}
			if err := r.read(f, depth+1); err != nil {
				return err
			}
		}
	}
	r.active = before
	return nil
}

// matchHost reports whether a host matches a list of patterns, of which those
// with "!" exclude.
func matchHost(patterns []string, host string) bool {
	matched := false
	for _, p := range patterns {
		p, not := strings.CutPrefix(p, "!")
		if !mux.Match(strings.ToLower(p), strings.ToLower(host)) {
			continue
		}
		if not {
			return false
		}
		matched = true
	}
	return matched
}
