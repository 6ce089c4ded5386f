package themes_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/nod-console/nod/themes"
)

func TestEveryEmbeddedThemeLoads(t *testing.T) {
	names := themes.Names()
	if len(names) < 3 || names[0] != themes.DefaultName {
		t.Fatalf("names: %q", names)
	}
	for _, name := range names {
		theme, err := themes.Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if theme.Name != name {
			t.Errorf("%s calls itself %q", name, theme.Name)
		}
	}
}

func TestEmptyNameIsTheDefault(t *testing.T) {
	theme, err := themes.Load("")
	if err != nil || theme.Name != themes.DefaultName {
		t.Errorf("%q, %v", theme.Name, err)
	}
}

func TestDefaultUsesOnlyTheTerminalsOwnColours(t *testing.T) {
	theme, err := themes.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range themes.Roles() {
		s := theme.Style(role)
		for _, c := range []themes.Color{s.FG, s.BG} {
			if i, ok := c.Index(); !c.Default() && (!ok || i > 15) {
				t.Errorf("%s uses a colour that is not the terminal's", role)
			}
		}
	}
}

func TestStylesAreReadFromWords(t *testing.T) {
	theme, err := themes.Parse("x", edited(t, map[string]string{
		"text":   `"bold #0a0b0c on 238"`,
		"muted":  `"bright-black dim italic underline reverse"`,
		"accent": `""`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := themes.Style{FG: themes.RGB(10, 11, 12), BG: themes.Indexed(238), Bold: true}
	if got := theme.Style(themes.Text); got != want {
		t.Errorf("text: %+v", got)
	}
	want = themes.Style{FG: themes.Indexed(8), Dim: true, Italic: true, Underline: true, Reverse: true}
	if got := theme.Style(themes.Muted); got != want {
		t.Errorf("muted: %+v", got)
	}
	if got := theme.Style(themes.Accent); got != (themes.Style{}) {
		t.Errorf("accent: %+v", got)
	}
}

func TestMistakesNameTheNearest(t *testing.T) {
	cases := []struct{ key, value, want string }{
		{"text", `"gren"`, `theme "x": text: unknown word "gren": did you mean "green"?`},
		{"text", `"#12345"`, `malformed colour "#12345"`},
		{"text", `"#1234567"`, `malformed colour "#1234567"`},
		{"text", `"#+12345"`, `malformed colour "#+12345"`},
		{"text", `"256"`, `malformed colour "256"`},
		{"text", `"red green"`, `a second colour "green"`},
		{"text", `7`, `text: want a style in words, have 7`},
		{"dangr", `"red"`, `unknown role "dangr": did you mean "danger"?`},
	}
	for _, c := range cases {
		_, err := themes.Parse("x", edited(t, map[string]string{c.key: c.value}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %s: %v, want %s", c.key, c.value, err, c.want)
		}
	}
	if _, err := themes.Parse("x", []byte(`text = "red"`)); err == nil || !strings.Contains(err.Error(), `the role "muted" is missing`) {
		t.Errorf("missing role: %v", err)
	}
	if _, err := themes.Load("drak"); err == nil || !strings.Contains(err.Error(), `did you mean "dark"?`) {
		t.Errorf("unknown theme: %v", err)
	}
	if _, err := themes.Load("../themes/dark"); err == nil {
		t.Error("a path is taken for a name")
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range themes.Names() {
		data, err := os.ReadFile(name + ".toml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`text = "#"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if theme, err := themes.Parse("x", data); err != nil && theme.Name != "" {
			t.Error("a theme together with an error")
		}
	})
}

// edited is the default theme's file with some lines replaced or added.
func edited(t *testing.T, lines map[string]string) []byte {
	t.Helper()
	data, err := os.ReadFile(themes.DefaultName + ".toml")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for key, value := range lines {
		b.WriteString(key + " = " + value + "\n")
	}
	for line := range strings.Lines(string(data)) {
		key, _, _ := strings.Cut(line, " ")
		if _, ok := lines[key]; !ok {
			b.WriteString(line)
		}
	}
	return []byte(b.String())
}

// Everything that is read has a contrast of at least 4.5 to 1 (WCAG 2, level
// AA), frames of 3 to 1, and high-contrast 7 to 1, on the ground that the theme
// brings.
func TestThemesWithAGroundCanBeRead(t *testing.T) {
	for _, name := range themes.Names() {
		theme, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		ground := theme.Style(themes.Text).BG
		if ground.Default() {
			continue
		}
		for _, role := range themes.Roles() {
			s, least := theme.Style(role), 4.5
			if s.BG.Default() {
				s.BG = ground
			}
			switch {
			case name == "high-contrast":
				least = 7
			case role == themes.Border, role == themes.Focus:
				least = 3
			}
			if c := contrast(s.FG, s.BG); c < least {
				t.Errorf("%s: %s has a contrast of %.2f, want %.1f", name, role, c, least)
			}
		}
	}
}

func contrast(a, b themes.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance is the relative luminance of WCAG 2.
func luminance(c themes.Color) float64 {
	v, _ := c.RGB()
	channel := func(shift uint) float64 {
		x := float64(v>>shift&0xff) / 255
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

// Colours that are nod's own stand on a ground that is, too: on the terminal's, dark or
// light, they might not be legible.
func TestAThemeOfItsOwnColoursBringsItsGround(t *testing.T) {
	for _, name := range themes.Names() {
		theme, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		text := theme.Style(themes.Text)
		if _, terminals := text.FG.Index(); !text.FG.Default() && !terminals && text.BG.Default() {
			t.Errorf("%s has no ground", name)
		}
	}
}

// Where there are 256 colours, a theme can look different, in roles that exist.
func TestAThemeIsRichWhereThereAre256Colours(t *testing.T) {
	whole := edited(t, nil)
	theme, err := themes.Parse("x", append(whole, "\n[rich]\naccent = \"25\"\n[rich.diff]\nadd = \"22\"\n"...))
	if err != nil {
		t.Fatal(err)
	}
	rich := themes.Rich(theme)
	for role, want := range map[themes.Role]uint8{themes.Accent: 25, themes.DiffAdd: 22} {
		if i, _ := rich.Style(role).FG.Index(); i != want {
			t.Errorf("%s: %+v", role, rich.Style(role))
		}
		if theme.Style(role) == rich.Style(role) {
			t.Errorf("%s is the same where there are fewer", role)
		}
	}
	if theme.Style(themes.Text) != rich.Style(themes.Text) {
		t.Error("a role that the table does not name differs")
	}
	_, err = themes.Parse("x", append(whole, "\n[rich]\nacent = \"25\"\n"...))
	if err == nil || !strings.Contains(err.Error(), `unknown role "rich.acent": did you mean "accent"?`) {
		t.Errorf("%v", err)
	}
}
