package role

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/pelletier/go-toml/v2"
)

// Limits.
const (
	MaxFile        = 64 << 10 // bytes
	MaxDescription = 300      // bytes, in one line
	MaxIterations  = 200
	MaxTypes       = 50
)

// Type is a type of sub-agents.
type Type struct {
	Name        string   `toml:"name"`
	Description string   `toml:"description"`
	Tools       []string `toml:"tools"` // nil: all that the sender has
	// ReadOnly lets only plain observations run.
	ReadOnly      bool   `toml:"read_only"`
	Model         string `toml:"model"` // a [model.NAME]; empty: the sender's
	Prompt        string `toml:"prompt"`
	MaxIterations int    `toml:"max_iterations"` // 0: as the configuration says

	// File is where it stands; empty if it is built in.
	File string `toml:"-"`
	// Fault says why it cannot be used, with file and line; empty if it can.
	Fault string `toml:"-"`
}

// Investigator is the built-in type: it looks and changes nothing.
var Investigator = Type{
	Name:        "investigator",
	Description: "looks into one question with read-only commands and reports what it found, with figures",
	Tools:       []string{"run_shell", "capture-pane", "jobs", "read_file", "grep", "glob", "fetch_url", "web_search", "time"},
	ReadOnly:    true,
	Prompt: `Find out what the task asks for with plain read-only commands; nothing else runs.
Bound what may be long. Report figures with the command that showed them, and say
what you could not find out.`,
}

var (
	nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`) })
	toolForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`) })
	keyLine  = `(?m)^[ \t]*%s[ \t]*=`
)

// Find returns the types of a folder, and the built-in one unless a file has its
// name, sorted by name. A folder that is not there has none. The error is that of
// reading the folder.
func Find(dir string) ([]Type, error) {
	types := []Type{Investigator}
	if dir == "" {
		return types, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return types, fmt.Errorf("types of sub-agents: %w", err)
	}
	taken := map[string]string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".toml") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		t, err := read(path)
		switch other, there := taken[t.Name]; {
		case err != nil:
		case there:
			err = fmt.Errorf("%s: name: %q is that of %s already", path, t.Name, other)
		case len(taken) == MaxTypes:
			err = fmt.Errorf("%s: there are %d types already, and that is all there may be", path, MaxTypes)
		}
		if err != nil {
			types = append(types, Type{Name: strings.TrimSuffix(e.Name(), ".toml"), File: path, Fault: err.Error()})
			continue
		}
		taken[t.Name] = path
		if t.Name == Investigator.Name {
			types = slices.DeleteFunc(types, func(t Type) bool { return t.File == "" })
		}
		types = append(types, t)
	}
	slices.SortStableFunc(types, func(a, b Type) int { return strings.Compare(a.Name, b.Name) })
	return types, nil
}

// Usable are the types without a fault.
func Usable(types []Type) []Type {
	return slices.DeleteFunc(slices.Clone(types), func(t Type) bool { return t.Fault != "" })
}

// read reads one file. The error names it, and the line if there is one.
func read(path string) (Type, error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe would wait
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", path)
	}
	if err != nil {
		return Type{}, err
	}
	f, err := os.Open(path) //nolint:gosec // the operator's own folder
	if err != nil {
		return Type{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return Type{}, err
	}
	if len(text) > MaxFile {
		return Type{}, fmt.Errorf("%s: longer than %d bytes", path, MaxFile)
	}
	t, line, err := Parse(text)
	if err != nil {
		if line > 0 {
			return Type{}, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		return Type{}, fmt.Errorf("%s: %w", path, err)
	}
	t.File = path
	return t, nil
}

// keys are what may stand in a file.
const keys = "name, description, tools, read_only, model, prompt and max_iterations"

// Parse reads a type. line is where the error is; 0 if it is nowhere in particular.
func Parse(text []byte) (t Type, line int, err error) {
	dec := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(&t); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) && len(strict.Errors) > 0 {
			row, _ := strict.Errors[0].Position()
			return Type{}, row, fmt.Errorf("unknown key %q: a type has %s", strings.Join(strict.Errors[0].Key(), "."), keys)
		}
		var decode *toml.DecodeError
		if errors.As(err, &decode) {
			row, _ := decode.Position()
			return Type{}, row, err
		}
		return Type{}, 0, err
	}
	if key, err := t.check(); err != nil {
		return Type{}, lineOf(text, key), err
	}
	return t, 0, nil
}

// check says which key is wrong, and why.
func (t *Type) check() (key string, err error) {
	t.Description, t.Prompt = strings.TrimSpace(t.Description), strings.TrimSpace(t.Prompt)
	switch {
	case !nameForm().MatchString(t.Name):
		return "name", fmt.Errorf("name: %q: want small letters, digits and dashes, 32 at most", t.Name)
	case t.Description == "":
		return "description", errors.New("description: it says nothing; the model chooses by it")
	case len(t.Description) > MaxDescription || strings.ContainsFunc(t.Description, unicode.IsControl):
		return "description", fmt.Errorf("description: want one line of at most %d bytes", MaxDescription)
	case t.Prompt == "":
		return "prompt", errors.New("prompt: it says nothing; say how the sub-agent works")
	case t.MaxIterations < 0 || t.MaxIterations > MaxIterations:
		return "max_iterations", fmt.Errorf("max_iterations: %d: want 1 to %d", t.MaxIterations, MaxIterations)
	}
	for _, tool := range t.Tools {
		if !toolForm().MatchString(tool) {
			return "tools", fmt.Errorf("tools: %q is no name of a tool", tool)
		}
	}
	return "", nil
}

// lineOf is the line on which a key stands; 0 if it is not there.
func lineOf(text []byte, key string) int {
	at := regexp.MustCompile(fmt.Sprintf(keyLine, key)).FindIndex(text)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(text[:at[0]], []byte("\n"))
}
