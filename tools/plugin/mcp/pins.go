package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/google/renameio/v2"
	"github.com/nod-console/nod/tools/plugin/harmless"
)

// kindResource is the Kind of a resource's definition.
const kindResource = "resource"

// Definition is what a server says of one tool, or of one resource: all of it that
// reaches the model.
type Definition struct {
	Kind        string          `json:"kind,omitempty"` // "resource"; empty: a tool
	Name        string          `json:"name"`           // a resource's address
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
}

// Digest identifies a definition: two with the same digest say the same.
func (d Definition) Digest() string {
	text, _ := json.Marshal(d) // texts, and JSON that was encoded by nod: cannot fail
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// key is what a definition is filed under: a tool's name, and no tool's name begins like
// a resource's key.
func (d Definition) key() string {
	if d.Kind == "" {
		return d.Name
	}
	return resourceKey + d.Name
}

// resourceKey is what a resource's key begins with.
const resourceKey = kindResource + " "

func (d Definition) nameWord() string {
	if d.Kind == "" {
		return "name"
	}
	return "address"
}

// Lines is the definition as the operator reads it.
func (d Definition) Lines() []string {
	lines := []string{d.nameWord() + ": " + harmless.Text(d.Name)}
	if d.Title != "" {
		lines = append(lines, "title: "+harmless.Text(d.Title))
	}
	for line := range strings.SplitSeq(harmless.Text(d.Description), "\n") {
		lines = append(lines, strings.TrimRight("description: "+line, " "))
	}
	for _, part := range []struct {
		name   string
		schema json.RawMessage
	}{{"arguments", d.Input}, {"result", d.Output}} {
		if len(part.schema) == 0 {
			continue
		}
		var b bytes.Buffer
		if json.Indent(&b, part.schema, "", "  ") != nil {
			b.Write(part.schema)
		}
		for line := range strings.SplitSeq(harmless.Text(b.String()), "\n") {
			lines = append(lines, part.name+": "+line)
		}
	}
	return lines
}

// Pins are the definitions that the operator has accepted, in a file. Safe for
// concurrent use. Of two processes that write at the same time, the later one counts.
type Pins struct {
	path string
	mu   sync.Mutex
}

// NewPins are those of a file, which need not exist.
func NewPins(path string) *Pins { return &Pins{path: path} }

// pinFile is the file's content: server, tool, definition.
type pinFile struct {
	Version int                              `json:"version"`
	Servers map[string]map[string]Definition `json:"servers"`
}

// maxPins bounds the file, in bytes.
const maxPins = 64 << 20

// Of are the accepted definitions of a server by the names of the tools. The error says
// that the file cannot be read; nothing is accepted then.
func (p *Pins) Of(server string) (map[string]Definition, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := p.read()
	return f.Servers[server], err
}

// Counts are how many tools and how many resources of a server are accepted.
func (p *Pins) Counts(server string) (tools, resources int, err error) {
	accepted, err := p.Of(server)
	for _, d := range accepted {
		if d.Kind == kindResource {
			resources++
		} else {
			tools++
		}
	}
	return tools, resources, err
}

// Set replaces what is accepted of a server.
func (p *Pins) Set(server string, accepted map[string]Definition) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, err := p.read()
	if err != nil {
		return err
	}
	if f.Servers == nil {
		f.Servers = map[string]map[string]Definition{}
	}
	f.Version = 1
	f.Servers[server] = maps.Clone(accepted)
	return p.write(f)
}

func (p *Pins) read() (f pinFile, err error) {
	info, err := os.Stat(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil && info.Size() > maxPins {
		err = fmt.Errorf("it is larger than %d MiB", maxPins>>20)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(p.path)
	}
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err == nil && f.Version != 1 {
		err = fmt.Errorf("its version is %d, want 1", f.Version)
	}
	if err != nil {
		return pinFile{}, fmt.Errorf("mcp: the accepted tools: %s: %w; remove the file to look at all tools anew", p.path, err)
	}
	return f, nil
}

// write replaces the file as a whole.
func (p *Pins) write(f pinFile) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("mcp: keep the accepted tools: %w", err)
		}
	}()
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(p.path, append(text, '\n'), 0o600, renameio.WithTempDir(filepath.Dir(p.path)))
}

// Change is what differs between what a server offers and what was accepted.
type Change struct {
	Tool     string      // its name, or "resource " and its address
	Was, Now *Definition // nil: there was none; there is none any more
}

// Word says what kind of change it is.
func (c Change) Word() string {
	switch {
	case c.Was == nil:
		return "new"
	case c.Now == nil:
		return "gone"
	}
	return "changed"
}

// what names what has changed, for the operator.
func (c Change) what() string {
	if c.resource() {
		return harmless.Text(c.Tool)
	}
	return "tool " + harmless.Text(c.Tool)
}

func (c Change) resource() bool { return strings.HasPrefix(c.Tool, resourceKey) }

// Lines shows the change: what is gone behind "-", what is new behind "+".
func (c Change) Lines() []string {
	lines := []string{c.Word() + " " + c.what()}
	var was, now []string
	if c.Was != nil {
		was = c.Was.Lines()
	}
	if c.Now != nil {
		now = c.Now.Lines()
	}
	// Lines at both ends that are the same are left out; what lies between them is short.
	for len(was) > 0 && len(now) > 0 && was[0] == now[0] {
		was, now = was[1:], now[1:]
	}
	for len(was) > 0 && len(now) > 0 && was[len(was)-1] == now[len(now)-1] {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	for _, l := range was {
		lines = append(lines, "  - "+l)
	}
	for _, l := range now {
		lines = append(lines, "  + "+l)
	}
	return lines
}

// changes compares what a server offers with what was accepted, by name.
func changes(accepted, offered map[string]Definition) []Change {
	var all []Change
	for _, name := range slices.Sorted(maps.Keys(offered)) {
		now := offered[name]
		was, known := accepted[name]
		switch {
		case !known:
			all = append(all, Change{Tool: name, Now: &now})
		case was.Digest() != now.Digest():
			all = append(all, Change{name, &was, &now})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(accepted)) {
		if _, still := offered[name]; !still {
			was := accepted[name]
			all = append(all, Change{Tool: name, Was: &was})
		}
	}
	return all
}

// fingerprint identifies a list of changes.
func fingerprint(all []Change) string {
	h := sha256.New()
	for _, c := range all {
		digest := "gone"
		if c.Now != nil {
			digest = c.Now.Digest()
		}
		_, _ = fmt.Fprintf(h, "%q %s\n", c.Tool, digest) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
