package risk

import (
	"fmt"
	"slices"
	"strings"
)

// specReader reads one data file line by line. README.md beside the data says
// how a line is written.
type specReader struct {
	root    *spec
	only    string         // the program that is read
	current []*spec        // the stanza's programs
	heads   map[*spec]bool // what a stanza has described
}

func (r *specReader) line(line string) error {
	text, _, _ := strings.Cut(line, "\t#")
	text = strings.TrimRight(text, " \t")
	if text == "" || text[0] == '#' {
		return nil
	}
	body, why, _ := strings.Cut(text, " ; ")
	if text[0] != ' ' && text[0] != '\t' {
		return r.heading(body, strings.TrimSpace(why))
	}
	if len(r.current) == 0 {
		return fmt.Errorf("no program stands above %q", text)
	}
	fields := strings.Fields(body)
	var err error
	switch fields[0] {
	case "args":
		err = r.args(fields[1:])
	case "else":
		err = r.otherwise(fields[1:], strings.TrimSpace(why))
	default:
		err = r.options(fields, strings.TrimSpace(why))
	}
	return err
}

// heading reads "name|name sub|sub: traits".
func (r *specReader) heading(body, why string) error {
	names, traits, ok := strings.Cut(body+" ", ": ")
	if !ok {
		return fmt.Errorf("%q has no colon", body)
	}
	level := []*spec{r.root}
	for i, alternatives := range strings.Fields(names) {
		var next []*spec
		if i == 0 {
			alternatives = r.only
		}
		for _, parent := range level {
			for _, name := range strings.Split(alternatives, "|") {
				next = append(next, parent.sub(name))
			}
		}
		level = next
	}
	words := strings.Fields(traits)
	again := slices.Contains(words, "again")
	for _, s := range level {
		if r.heads[s] && !again {
			return fmt.Errorf("%q is described above already: add to it with the trait again", s.name)
		}
		r.heads[s] = true
		if err := s.takeTraits(words, why); err != nil {
			return err
		}
	}
	r.current = level
	return nil
}

// takeTraits reads the traits of a stanza, which take the place of those of an earlier one of
// the same name.
func (s *spec) takeTraits(words []string, why string) error {
	was := s.trait
	s.trait = trait{why: why, needs: was.needs}
	if err := s.readTraits(words); err != nil {
		return err
	}
	if was.effect != Unassessed && was.effect.AtLeast(Mutate) && !s.effect.AtLeast(Mutate) {
		// What was permitted to a program that asks anyway is not proved to only look.
		s.operands, s.repeat, s.options = nil, false, map[string]*option{}
	}
	if lost := was.flags &^ s.flags; was.effect == Observe && s.effect == Observe && lost != 0 {
		return fmt.Errorf("%q is %v above: the flag cannot be taken back", s.name, lost)
	}
	return nil
}

func (s *spec) sub(name string) *spec {
	if found, ok := s.subs[name]; ok {
		return found
	}
	child := &spec{name: name, options: map[string]*option{}}
	if s.name != "" {
		child.name, child.parent = s.name+"."+name, s
	}
	if s.subs == nil {
		s.subs = map[string]*spec{}
	}
	s.subs[name] = child
	return child
}

// switches are the traits of a program that are words alone.
var switches = map[string]func(*spec) *bool{
	"inert":   func(s *spec) *bool { return &s.inert },
	"posix":   func(s *spec) *bool { return &s.posix },
	"onedash": func(s *spec) *bool { return &s.oneDash },
	"bsd":     func(s *spec) *bool { return &s.bsd },
	"inherit": func(s *spec) *bool { return &s.inherit },
	"assigns": func(s *spec) *bool { return &s.assigns },
	"abbrev":  func(s *spec) *bool { return &s.abbrev },
	"reader":  func(s *spec) *bool { return &s.reader },
	"sends":   func(s *spec) *bool { return &s.sends },
	"feeds":   func(s *spec) *bool { return &s.feeds },
	"hands":   func(s *spec) *bool { return &s.hands },
	"carries": func(s *spec) *bool { return &s.carries },
	"folder":  func(s *spec) *bool { return &s.folder },
	"apart":   func(s *spec) *bool { return &s.apart },
	"builtin": func(s *spec) *bool { return &s.builtin },
	"remote":  func(s *spec) *bool { return &s.remote },
}

func (s *spec) readTraits(words []string) error {
	for _, word := range words {
		if word == "again" {
			continue // said by a stanza that adds to an earlier one
		}
		if field, ok := switches[word]; ok {
			*field(s) = true
			continue
		}
		if n, ok := strings.CutPrefix(word, "least="); ok && len(n) == 1 && n >= "1" && n <= "9" {
			s.least = int(n[0] - '0')
			continue
		}
		if sub, ok := strings.CutPrefix(word, "default="); ok {
			s.fallback = sub
			continue
		}
		if !s.trait.read(word) {
			return fmt.Errorf("unknown trait %q of %q", word, s.name)
		}
	}
	if s.effect == Unassessed {
		return fmt.Errorf("%q has no effect", s.name)
	}
	return nil
}

func (t *trait) read(word string) bool {
	if word == "unread" {
		t.unread = true
		return true
	}
	if word == "costly" {
		t.costly = true
		return true
	}
	if letters, ok := strings.CutPrefix(word, "needs="); ok {
		n, err := ParseNeeds(letters)
		t.needs = n
		return err == nil
	}
	if flag, err := ParseFlag(word); err == nil {
		t.flags |= flag
		return true
	}
	return t.effect.UnmarshalText([]byte(word)) == nil
}

func parseParam(word string) (param, error) {
	if set, ok := strings.CutPrefix(word, "="); ok {
		return param{kind: kindSet, set: strings.Split(set, ",")}, nil
	}
	if set, ok := strings.CutPrefix(word, "^"); ok {
		return param{kind: kindBegins, set: strings.Split(set, ",")}, nil
	}
	k, ok := kindWords[word]
	if !ok {
		return param{}, fmt.Errorf("unknown kind %q", word)
	}
	return param{kind: k}, nil
}

func (r *specReader) args(words []string) error {
	var params []param
	repeat := false
	for _, word := range words {
		if repeat {
			return fmt.Errorf("%q follows the operand that repeats", word)
		}
		word, repeat = strings.CutSuffix(word, "...")
		p, err := parseParam(word)
		if err != nil {
			return err
		}
		params = append(params, p)
	}
	for _, s := range r.current {
		s.operands, s.repeat = params, repeat
	}
	return nil
}

func (r *specReader) otherwise(words []string, why string) error {
	t := trait{why: why}
	for _, word := range words {
		if !t.read(word) {
			return fmt.Errorf("unknown trait %q", word)
		}
	}
	for _, s := range r.current {
		s.other = &t
	}
	return nil
}

// options reads "-abc -k: --key= traits ; why".
func (r *specReader) options(words []string, why string) error {
	base := option{trait: trait{why: why}}
	var names []string
	for _, word := range words {
		if word[0] == '-' || word[0] == '+' {
			names = append(names, word)
			continue
		}
		if err := base.readTrait(word); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("%q names no option", strings.Join(words, " "))
	}
	rule := ""
	for _, name := range names {
		if n := strings.Trim(name, "-+=:?~"); len(n) > len(rule) || strings.HasPrefix(name, "--") && !strings.HasPrefix(rule, "--") {
			rule = n
		}
	}
	for _, s := range r.current {
		for _, name := range names {
			s.addOption(name, base, s.name+"."+rule)
		}
	}
	return nil
}

func (o *option) readTrait(word string) error {
	switch word {
	case "fills":
		o.fills = true
		return nil
	case "ends":
		o.ends = true
		return nil
	case "apart":
		o.apart = true
		return nil
	}
	if to, ok := strings.CutPrefix(word, "operands="); ok {
		k, known := kindWords[to]
		if !known {
			return fmt.Errorf("unknown kind %q", to)
		}
		o.operands, o.turns = k, true
		return nil
	}
	if o.trait.read(word) {
		return nil
	}
	p, err := parseParam(word)
	o.value = p
	return err
}

func (s *spec) addOption(name string, o option, rule string) {
	o.rule = rule
	s.plus = s.plus || name[0] == '+'
	long := strings.HasPrefix(name, "--") || s.oneDash
	body := strings.TrimRight(name, ":=?~")
	switch strings.TrimPrefix(name, body) {
	case ":~":
		o.takes, o.optional, o.unless = true, true, true
	case ":?":
		o.takes, o.optional = true, true
	case ":", "=":
		o.takes = true
	case "?":
		o.optional = true
	}
	if long || body == "-#" || body == "+#" || len(body) <= 2 {
		one := o
		one.name = body
		s.options[body] = &one
		return
	}
	for _, letter := range body[1:] {
		one := o
		one.name = body[:1] + string(letter)
		s.options[one.name] = &one
	}
}
