package nodeset

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Most bounds how many names an expression may mean.
const Most = 10_000

// longest bounds an expression, in bytes.
const longest = 16 << 10

// ErrTooMany: an expression means more names than Most.
var ErrTooMany = fmt.Errorf("it means more than %d names", Most)

// Universe is what an expression is about.
type Universe struct {
	// Names are all that there are: * and ? find those.
	Names []string
	// Also are other names of one of those, which * and ? find it by, too. Nil: it has none.
	Also func(name string) []string
	// Meant is the name that a written one means; an error refuses it. Nil: itself.
	Meant func(name string) (string, error)
	// Group is what a group's name stands for; nil: there are no groups.
	Group func(name string) (expression string, ok bool)
}

// maxNested bounds how deep groups may name groups.
const maxNested = 16

// Expand returns the names that an expression means, each once, in the order in which they
// come first. A name need not be one of the universe's. The error quotes what cannot be read.
func Expand(expression string, u Universe) ([]string, error) {
	if len(expression) > longest {
		return nil, fmt.Errorf("%.60q…: it is longer than %d bytes", expression, longest)
	}
	names, err := u.expand(expression, 0)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", expression, err)
	}
	return names, nil
}

func (u Universe) expand(expression string, depth int) ([]string, error) {
	if depth > maxNested {
		return nil, errors.New("groups name each other without an end")
	}
	elements, operators, err := split(expression)
	if err != nil {
		return nil, err
	}
	var all []string
	for i, element := range elements {
		some, err := u.element(element, depth)
		if err != nil {
			return nil, err
		}
		if all = combine(all, operators[i], some); len(all) > Most {
			return nil, ErrTooMany
		}
	}
	return all, nil
}

// split takes an expression apart; operators[i] stands before elements[i], a comma before
// the first.
func split(expression string) (elements []string, operators []byte, err error) {
	operators = []byte{','}
	start, inside := 0, false
	for at := 0; at <= len(expression); at++ {
		if at < len(expression) {
			switch c := expression[at]; {
			case c == '[' && inside, c == ']' && !inside:
				return nil, nil, errors.New("the brackets do not fit")
			case c == '[' || c == ']':
				inside = c == '['
				continue
			case inside || !strings.ContainsRune(",!&^", rune(c)):
				continue
			}
			operators = append(operators, expression[at])
		}
		element := strings.TrimSpace(expression[start:at])
		if element == "" {
			return nil, nil, errors.New("a name is missing")
		}
		elements, start = append(elements, element), at+1
	}
	if inside {
		return nil, nil, errors.New("a bracket is not closed")
	}
	return elements, operators, nil
}

// fewNames are looked for one by one.
const fewNames = 16

// combine joins two sets as an operator says.
func combine(all []string, operator byte, some []string) []string {
	in := func(set, wanted []string) func(string) bool {
		if len(wanted) < fewNames {
			return func(name string) bool { return slices.Contains(set, name) }
		}
		there := make(map[string]bool, len(set))
		for _, name := range set {
			there[name] = true
		}
		return func(name string) bool { return there[name] }
	}
	had, has := in(all, some), in(some, all)
	switch operator {
	case '!':
		return slices.DeleteFunc(slices.Clone(all), has)
	case '&':
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !has(name) })
	case '^':
		return append(slices.DeleteFunc(slices.Clone(all), has), slices.DeleteFunc(slices.Clone(some), had)...)
	}
	return append(all, slices.DeleteFunc(slices.Clone(some), had)...)
}

// element are the names of one element.
func (u Universe) element(text string, depth int) ([]string, error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		return u.group(name, depth)
	}
	names, err := numbered(text)
	switch {
	case err != nil:
		return nil, err
	case strings.ContainsAny(text, "*?"):
		return u.find(text, names)
	case u.Meant == nil:
		return names, nil
	}
	for i, name := range names {
		if names[i], err = u.Meant(name); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// find are the names that fit patterns.
func (u Universe) find(text string, patterns []string) ([]string, error) {
	var found []string
	for _, pattern := range patterns {
		pattern = strings.NewReplacer("[", `\[`, "/", "\x00").Replace(pattern)
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("the pattern %q: %w", text, err)
		}
		for _, name := range u.Names {
			all := []string{name}
			if u.Also != nil {
				all = append(all, u.Also(name)...)
			}
			fits := slices.ContainsFunc(all, func(one string) bool {
				fits, _ := path.Match(pattern, strings.ReplaceAll(one, "/", "\x00")) // it can be read
				return fits
			})
			if fits && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no name fits %q", text)
	}
	return found, nil
}

func (u Universe) group(name string, depth int) ([]string, error) {
	if name == "*" {
		return slices.Clone(u.Names), nil
	}
	if u.Group != nil {
		if expression, ok := u.Group(name); ok {
			return u.expand(expression, depth+1)
		}
	}
	return nil, fmt.Errorf("there is no group %q", name)
}

// numbered are the names that the numbers in brackets of an element make.
func numbered(text string) ([]string, error) {
	names := []string{""}
	for rest := text; rest != ""; {
		before, after, ok := strings.Cut(rest, "[")
		inside, behind, _ := strings.Cut(after, "]")
		numbers := []string{""}
		switch {
		case !ok:
			before, behind = rest, ""
		case strings.Contains(inside, ":"): // an address
			before += "[" + inside + "]"
		default:
			var err error
			if numbers, err = ranges(inside); err != nil {
				return nil, err
			}
		}
		if len(names)*len(numbers) > Most {
			return nil, ErrTooMany
		}
		longer := make([]string, 0, len(names)*len(numbers))
		for _, name := range names {
			for _, n := range numbers {
				longer = append(longer, name+before+n)
			}
		}
		names, rest = longer, behind
	}
	return names, nil
}

// ranges are the numbers between brackets: 1-3,07-10,0-10/2.
func ranges(text string) ([]string, error) {
	var all []string
	for one := range strings.SplitSeq(text, ",") {
		span, by, stepped := strings.Cut(one, "/")
		from, to, between := strings.Cut(span, "-")
		if !between {
			to = from
		}
		step := 1
		low, errLow := number(from)
		high, errHigh := number(to)
		if stepped {
			var err error
			if step, err = number(by); err != nil || step == 0 {
				return nil, fmt.Errorf("[%s]: %q is no step", text, by)
			}
		}
		if err := errors.Join(errLow, errHigh); err != nil || high < low {
			return nil, fmt.Errorf("[%s]: %q is no range of numbers such as 1-3", text, one)
		}
		if (high-low)/step >= Most {
			return nil, ErrTooMany
		}
		for n := low; n <= high; n += step {
			all = append(all, padded(n, width(from)))
		}
	}
	return all, nil
}

var errNumber = errors.New("not a number")

// number reads digits, and nothing else.
func number(text string) (int, error) {
	if text == "" || len(text) > 15 || strings.Trim(text, "0123456789") != "" {
		return 0, errNumber
	}
	return strconv.Atoi(text)
}

// width is how wide numbers are that begin with one written so; 0: as wide as they are.
func width(digits string) int {
	if len(digits) > 1 && digits[0] == '0' {
		return len(digits)
	}
	return 0
}

func padded(n, width int) string { return fmt.Sprintf("%0*d", width, n) }
