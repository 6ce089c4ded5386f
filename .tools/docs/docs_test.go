package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// sample answers as nod does, with the topics as they are and a few commands.
func sample(t *testing.T) program {
	t.Helper()
	files, err := filepath.Glob("../../cmd/nod/topics/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d topics, %v", len(files), err)
	}
	answers := map[string]string{
		"version":   "nod v1.2.3 go1.26 linux/amd64\n",
		"help keys": "The keys.\n\nEverywhere\n  F1, /help, ?\n      show this\n  Esc\n      back out one\n      level\n\nDeciding\n  /undo [list]\n      take back <all>\n  Esc\n      deny\n\nOther keys\n  In [keys] of the configuration:\n\n    [keys]\n    zoom = \"F5\"\n\n    [keys.pane]\n    copy = \"c\"\n",
		"audit --help": "read and prove the record\n\nUsage:\n  nod audit [command]\n\nAvailable Commands:\n  show        print the record\n\n" +
			"Flags:\n  -h, --help   help for audit\n\nGlobal Flags:\n      --config string   configuration file\n\nUse \"nod audit [command] --help\" for more.\n",
		"mcp --help":        "a command with the name of a topic\n\nUsage:\n  nod mcp\n",
		"audit show --help": "show prints records. \"nod audit\" and nod help record say more:\n\n  a -> b\n\nUsage:\n  nod audit show [flags]\n\nFlags:\n  -n, --last int   how many (default 50)\n      --raw        <bytes>\n",
	}
	root := "nod opens a console; \"nod audit show\" prints:\n\n    [model.work]\n      model = 1\n\nUsage:\n  nod [TARGET...]\n\nAvailable Commands:\n  audit       read and prove the record\n  mcp         servers\n  help        help about a command or a topic\n\n" +
		"Flags:\n      --config string   configuration file\n\nUse \"nod [command] --help\" for more information about a command.\n\nTopics (nod help TOPIC):\n  keys          the console's keys\n"
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		answers["help "+name] = string(text)
		root += fmt.Sprintf("  %-14sabout %s\n", name, name)
	}
	answers["help"] = root
	return func(args ...string) (string, error) {
		text, ok := answers[strings.Join(args, " ")]
		if !ok {
			return "", fmt.Errorf("nobody should ask for %q", args)
		}
		return text, nil
	}
}

// eachSite runs a test with the sample, and with the program that NOD names: make docs does so.
func eachSite(t *testing.T, test func(t *testing.T, ask program, files map[string][]byte)) {
	programs := map[string]program{"sample": sample(t)}
	if path := os.Getenv("NOD"); path != "" {
		ask, done, err := running(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(done)
		programs["program"] = ask
	}
	for name, ask := range programs {
		t.Run(name, func(t *testing.T) {
			files, err := site(ask, "../../.shots")
			if err != nil {
				t.Fatal(err)
			}
			test(t, ask, files)
		})
	}
}

// walk visits a node and all below it.
func walk(n *html.Node, visit func(*html.Node)) {
	visit(n)
	for c := range n.ChildNodes() {
		walk(c, visit)
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func parsed(t *testing.T, page []byte) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestEveryLinkAndAnchorLeadsSomewhere(t *testing.T) {
	eachSite(t, func(t *testing.T, _ program, files map[string][]byte) {
		ids := map[string]bool{}
		type link struct{ from, to string }
		var links []link
		for name, text := range files {
			ids[name] = true
			if !strings.HasSuffix(name, ".html") {
				continue
			}
			walk(parsed(t, text), func(n *html.Node) {
				if id := attribute(n, "id"); id != "" {
					if ids[name+"#"+id] {
						t.Errorf("%s: two elements are %q", name, id)
					}
					ids[name+"#"+id] = true
				}
				for _, to := range []string{attribute(n, "href"), attribute(n, "src")} {
					if to != "" {
						links = append(links, link{name, to})
					}
				}
			})
		}
		for _, l := range links {
			to := l.to
			if strings.HasPrefix(to, "#") {
				to = l.from + to
			}
			if !ids[to] {
				t.Errorf("%s: %q leads nowhere", l.from, l.to)
			}
		}
	})
}

var helpOf = regexp.MustCompile(`nod\s+help\s+([a-z_]+)`)

func TestWhatATopicSaysOfAnotherIsALink(t *testing.T) {
	eachSite(t, func(t *testing.T, _ program, files map[string][]byte) {
		for name, text := range files {
			if !strings.HasSuffix(name, ".html") {
				continue
			}
			walk(parsed(t, text), func(n *html.Node) {
				if n.Type != html.TextNode || n.Parent.Data == "style" {
					return
				}
				for _, m := range helpOf.FindAllStringSubmatch(n.Data, -1) {
					linked := false
					for up := n.Parent; up != nil; up = up.Parent {
						linked = linked || up.Data == "a"
					}
					if to := m[1] + ".html"; files[to] != nil && to != name && !linked {
						t.Errorf("%s: %q is no link", name, m[0])
					}
				}
			})
		}
	})
}

var word = regexp.MustCompile(`[\p{L}\p{N}]+`)

// words are the words of a text in their order, each between spaces.
func words(text string) string {
	return strings.TrimPrefix(" "+strings.Join(word.FindAllString(text, -1), " ")+" ", "  ")
}

// said are the words of a page without what the site adds, and the words of its code.
func said(t *testing.T, page []byte) (all, code string) {
	t.Helper()
	var visit func(n *html.Node, main, pre bool)
	visit = func(n *html.Node, main, pre bool) {
		switch {
		case n.Data == "nav", n.Data == "figure", n.Data == "style":
			return
		case n.Type == html.TextNode && main:
			all += n.Data
			if pre {
				code += n.Data
			}
		}
		for c := range n.ChildNodes() {
			visit(c, main || n.Data == "main", pre || n.Data == "pre")
		}
	}
	visit(parsed(t, page), false, false)
	return words(all), words(code)
}

func TestNoTextIsLost(t *testing.T) {
	eachSite(t, func(t *testing.T, ask program, files map[string][]byte) {
		root, err := ask("help")
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(root, "Topics (nod help TOPIC):\n")
		topics := listed(list)
		if want, _ := filepath.Glob("../../cmd/nod/topics/*.md"); len(topics) != len(want)+1 {
			t.Errorf("%d topics beside the keys, want %d", len(topics)-1, len(want))
		}
		for _, topic := range topics {
			text, err := ask("help", topic.ID)
			if err != nil {
				t.Fatal(err)
			}
			all, code := said(t, files[topic.ID+".html"])
			for para := range strings.SplitSeq(text, "\n\n") {
				if !strings.Contains(all, words(para)) {
					t.Errorf("%s does not say: %s", topic.ID, para)
				}
				if strings.HasPrefix(para, "    ") && !strings.Contains(code, words(para)) {
					t.Errorf("%s does not show as code: %s", topic.ID, para)
				}
			}
			if !strings.Contains(string(files["index.html"]), `<dt><a href="`+topic.ID+`.html">`) {
				t.Errorf("the first page does not name %s", topic.ID)
			}
		}
		var commands func(path []string)
		commands = func(path []string) {
			text, err := ask(append(slices.Clone(path), "--help")...)
			if err != nil {
				t.Fatal(err)
			}
			text, _, _ = strings.Cut(text, "\nUse \"nod")
			own, _, _ := strings.Cut(text, "\nGlobal Flags:")
			all, _ := said(t, files["nod-"+path[0]+".html"])
			for para := range strings.SplitSeq(own, "\n\n") {
				if !strings.Contains(all, words(para)) {
					t.Errorf("nod %s does not say: %s", strings.Join(path, " "), para)
				}
			}
			for _, c := range listed(section(text, "Available Commands:")) {
				commands(append(slices.Clone(path), c.ID))
			}
		}
		for _, c := range listed(section(root, "Available Commands:")) {
			if c.ID != "help" {
				commands([]string{c.ID})
			}
		}
	})
}

func TestPagesAreWellFormedAndNeedNothingElse(t *testing.T) {
	void := []string{"meta", "img", "br", "hr"}
	eachSite(t, func(t *testing.T, _ program, files map[string][]byte) {
		for name, text := range files {
			if !strings.HasSuffix(name, ".html") {
				continue
			}
			var open []string
			z := html.NewTokenizer(strings.NewReader(string(text)))
			for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
				token := z.Token()
				switch {
				case kind == html.StartTagToken && !slices.Contains(void, token.Data):
					if inline := []string{"code", "span", "a", "strong", "em"}; slices.Contains(open, "p") && !slices.Contains(inline, token.Data) {
						t.Errorf("%s: %s in a paragraph", name, token.Data)
					}
					open = append(open, token.Data)
				case kind == html.EndTagToken:
					if len(open) == 0 || open[len(open)-1] != token.Data {
						t.Fatalf("%s: </%s> closes none of %q", name, token.Data, open)
					}
					open = open[:len(open)-1]
				}
				if slices.Contains([]string{"script", "link", "iframe"}, token.Data) && kind == html.StartTagToken {
					t.Errorf("%s has a %s", name, token.Data)
				}
			}
			if len(open) > 0 {
				t.Errorf("%s: open at its end: %q", name, open)
			}
			if strings.Contains(string(text), "<!-- raw HTML omitted -->") || strings.Contains(string(text), "ZgotmplZ") {
				t.Errorf("%s: something was left out", name)
			}
		}
	})
}

// luminance is that of a colour #rrggbb (WCAG 2.2, relative luminance).
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	var part [3]int
	if _, err := fmt.Sscanf(colour, "#%02x%02x%02x", &part[0], &part[1], &part[2]); err != nil {
		t.Fatalf("%q is no colour: %v", colour, err)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64(part[i]) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func TestBothPalettesCanBeRead(t *testing.T) {
	palettes := regexp.MustCompile(`:root \{([^}]*)\}`).FindAllStringSubmatch(style, -1)
	if len(palettes) != 2 {
		t.Fatalf("%d palettes, want a light one and a dark one", len(palettes))
	}
	variable := regexp.MustCompile(`--([a-z]+): (#[0-9a-f]{6});`)
	for i, p := range palettes {
		colours := map[string]string{}
		for _, m := range variable.FindAllStringSubmatch(p[1], -1) {
			colours[m[1]] = m[2]
		}
		for _, ground := range []string{"paper", "raised"} {
			for _, ink := range []string{"ink", "quiet", "link", "strong"} {
				a, b := luminance(t, colours[ink]), luminance(t, colours[ground])
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
					t.Errorf("palette %d: %s on %s has a contrast of %.2f, want 4.5", i, ink, ground, ratio)
				}
			}
		}
	}
	rules := style[strings.LastIndex(style, "}\n* {"):]
	if regexp.MustCompile(`#[0-9a-f]{3,6}\b|rgb|opacity`).MatchString(rules) {
		t.Error("a rule has a colour of its own, which no palette changes")
	}
}

func TestNamesLeadToTheirPlaces(t *testing.T) {
	files, err := site(sample(t), "../../.shots")
	if err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{
		"index":    `<a href="nod-audit.html#nod-audit-show">&quot;nod audit show&quot;</a>`,
		"approval": `<a href="keys.html#deciding-undo-list"><code>/undo</code></a>`,
		"files":    `<a href="record.html"><code>nod help record</code></a>`,
		"keys":     `<dt id="deciding-esc">Esc</dt>`,
		"tools":    `<a href="panes.html"><code>nod help panes</code></a>`,
		"nod-mcp":  "<p>a command with the name of a topic</p>",
		"status":   `<dt id="0-2"><code>0</code></dt>`,
		"record":   "<pre><code><span class=\"line\" style=\"--indent:0ch\">nod audit show                  <span class=\"column\"># what ran",
		"nod":      "<span class=\"line\" style=\"--indent:0ch\">[model.work]\n</span><span class=\"line\" style=\"--indent:2ch\">  model = 1\n</span></code></pre>",
	} {
		if !strings.Contains(string(files[page+".html"]), want) {
			t.Errorf("%s has no %s", page, want)
		}
	}
	for _, c := range chapters {
		for _, topic := range c.topics {
			if files[topic+".html"] == nil {
				t.Errorf("the chapter %q names %q, which is no topic", c.Title, topic)
			}
		}
	}
}

func TestAFolderWithOtherThingsIsLeftAlone(t *testing.T) {
	folder := t.TempDir()
	precious := filepath.Join(folder, "index.html")
	if err := os.WriteFile(precious, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := prepare(folder); err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("error %v, want one that names the folder", err)
	}
	if text, err := os.ReadFile(precious); string(text) != "mine" {
		t.Errorf("what was there is %q, %v", text, err)
	}

	files, err := site(sample(t), "../../.shots")
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "new")
	if err := prepare(own); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "former.html"} {
		if err := os.WriteFile(filepath.Join(own, name), files["index.html"], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := prepare(own); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(own); len(left) > 0 {
		t.Errorf("pages of the former site are left: %v", left)
	}
}

func TestEveryPictureIsShown(t *testing.T) {
	taken, err := filepath.Glob("../../.shots/*.svg")
	if err != nil || len(taken) == 0 {
		t.Fatalf("%d pictures, %v", len(taken), err)
	}
	files, err := site(sample(t), "../../.shots")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range taken {
		if files[filepath.Base(path)] == nil {
			t.Errorf("%s is on no page; give it one in pictures (site.go)", path)
		}
	}
}
