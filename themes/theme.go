package themes

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Role says what a piece of the screen is; a theme says what it looks like.
type Role string

// The roles, all of which every theme defines.
const (
	Text       Role = "text"
	Muted      Role = "muted"
	Accent     Role = "accent"
	OK         Role = "ok"
	Warn       Role = "warn"
	Danger     Role = "danger"
	Border     Role = "border"
	Focus      Role = "focus"     // the frame of what has the keyboard
	Selection  Role = "selection" // a chosen entry, marked text
	Bar        Role = "bar"       // the top and the bottom line
	Heading    Role = "heading"
	Code       Role = "code"
	Link       Role = "link"
	DiffAdd    Role = "diff.add"
	DiffRemove Role = "diff.remove"
	TrustProd  Role = "trust.prod"
	TrustStage Role = "trust.stage"
	TrustLab   Role = "trust.lab"
)

// Roles returns all roles in the order in which a theme's file lists them.
func Roles() []Role {
	return []Role{
		Text, Muted, Accent, OK, Warn, Danger, Border, Focus, Selection, Bar,
		Heading, Code, Link, DiffAdd, DiffRemove, TrustProd, TrustStage, TrustLab,
	}
}

// Style is the look of a role. The zero value is the terminal's default.
type Style struct {
	FG, BG                                Color
	Bold, Dim, Italic, Underline, Reverse bool
}

// Theme is a style for each role.
type Theme struct {
	Name   string
	styles map[Role]Style
	rich   map[Role]Style // other styles where there are 256 colours: see Rich
}

// Style is the look of a role; the terminal's default for a role that does not
// exist.
func (t Theme) Style(r Role) Style { return t.styles[r] }

// DefaultName is the theme of an operator who has not chosen one: the
// terminal's own sixteen colours, on a light ground those of them that can be read.
const DefaultName = "ansi"

//go:embed *.toml
var files embed.FS

// Names returns the embedded themes, sorted, the default one first.
func Names() []string {
	paths, err := fs.Glob(files, "*.toml")
	if err != nil {
		panic(err) // only a malformed pattern fails
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = strings.TrimSuffix(p, ".toml")
	}
	sort.Slice(names, func(i, j int) bool {
		if (names[i] == DefaultName) != (names[j] == DefaultName) {
			return names[i] == DefaultName
		}
		return names[i] < names[j]
	})
	return names
}

// Load returns the embedded theme of that name for a terminal whose ground is not
// known; empty means the default one. See [On] for Auto. The error of an unknown name
// tells the nearest and all others.
func Load(name string) (Theme, error) {
	file := On(name, UnknownGround)
	data, err := files.ReadFile(file + ".toml")
	if err != nil || strings.ContainsAny(name, `/\`) {
		all := append(Names(), Auto)
		return Theme{}, fmt.Errorf("unknown theme %q: did you mean %q? there are %s",
			name, nearest(name, all), strings.Join(all, ", "))
	}
	return Parse(file, data)
}

// Parse reads a theme from TOML.
func Parse(name string, data []byte) (Theme, error) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		return Theme{}, fmt.Errorf("theme %q: %w", name, err)
	}
	known := map[Role]bool{}
	for _, r := range Roles() {
		known[r] = true
	}
	t := Theme{Name: name, styles: map[Role]Style{}, rich: map[Role]Style{}}
	for key, value := range flatten("", tree) {
		styles := t.styles
		role, rich := strings.CutPrefix(key, richTable+".")
		if rich {
			styles = t.rich
		}
		if !known[Role(role)] {
			return Theme{}, fmt.Errorf("theme %q: unknown role %q: did you mean %q?", name, key, nearest(role, roleNames()))
		}
		text, ok := value.(string)
		if !ok {
			return Theme{}, fmt.Errorf("theme %q: %s: want a style in words, have %v", name, key, value)
		}
		style, err := parseStyle(text)
		if err != nil {
			return Theme{}, fmt.Errorf("theme %q: %s: %w", name, key, err)
		}
		styles[Role(role)] = style
	}
	for _, r := range Roles() {
		if _, ok := t.styles[r]; !ok {
			return Theme{}, fmt.Errorf("theme %q: the role %q is missing", name, r)
		}
	}
	return t, nil
}

// richTable holds the roles that look different where there are 256 colours.
const richTable = "rich"

// Rich is a theme for a terminal of 256 colours or more. Its file can have other styles
// for it, in the table "rich": the first sixteen colours differ from palette to palette,
// and the others hardly anywhere.
func Rich(t Theme) Theme {
	styles := maps.Clone(t.styles)
	maps.Copy(styles, t.rich)
	return Theme{Name: t.Name, styles: styles}
}

// flatten turns tables into dotted keys.
func flatten(prefix string, tree map[string]any) map[string]any {
	flat := map[string]any{}
	for key, value := range tree {
		if sub, ok := value.(map[string]any); ok {
			for k, v := range flatten(prefix+key+".", sub) {
				flat[k] = v
			}
			continue
		}
		flat[prefix+key] = value
	}
	return flat
}

func roleNames() []string {
	roles := Roles()
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = string(r)
	}
	return names
}

// parseStyle reads a style in words.
func parseStyle(text string) (Style, error) {
	var s Style
	attributes := map[string]*bool{
		"bold": &s.Bold, "dim": &s.Dim, "italic": &s.Italic,
		"underline": &s.Underline, "reverse": &s.Reverse,
	}
	color, colored := &s.FG, map[*Color]bool{}
	for _, word := range strings.Fields(text) {
		if attribute, ok := attributes[word]; ok {
			*attribute = true
			continue
		}
		if word == "on" {
			color = &s.BG
			continue
		}
		c, err := parseColor(word)
		if err != nil {
			return Style{}, err
		}
		if colored[color] {
			return Style{}, fmt.Errorf("a second colour %q in %q", word, text)
		}
		*color, colored[color] = c, true
	}
	return s, nil
}

// nearest is the candidate with the smallest edit distance to word.
func nearest(word string, candidates []string) string {
	best, distance := "", 1<<30
	for _, c := range candidates {
		if d := edits([]rune(word), []rune(c)); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// edits is the Levenshtein distance.
func edits(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
