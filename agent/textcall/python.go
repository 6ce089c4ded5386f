package textcall

import (
	"fmt"
	"strings"
)

// pythonCall reads name(key=value, …) from the beginning of s.
func (b book) pythonCall(s string) (c Call, n int, err error) {
	r := &reader{s: s}
	if err := r.space(); err != nil {
		return c, 0, err
	}
	from := r.i
	name := r.pythonName()
	if r.i == len(s) {
		return c, r.i, errOpen
	}
	if name == "" || s[r.i] != '(' {
		return c, r.i, r.fail("a call is missing")
	}
	r.i++
	args := value{kind: '{'}
	for {
		if err := r.space(); err != nil {
			return c, r.i, err
		}
		if s[r.i] == ')' {
			r.i++
			break
		}
		if err := b.keyword(r, &args); err != nil {
			return broken(name, "", err.Error()), r.i, err
		}
		if err := r.comma(')'); err != nil {
			return c, r.i, err
		}
	}
	// "name.call(…)" is how Llama calls what is built in.
	name = strings.TrimSuffix(name, ".call")
	return b.make(name, args, true, s[from:r.i]), r.i, nil
}

// pythonName reads the name of a call: as of any tool, but that it does not begin with a "-".
func (r *reader) pythonName() string {
	from := r.i
	for r.i < len(r.s) && nameByte(r.s[r.i]) && (r.s[r.i] != '-' || r.i > from) {
		r.i++
	}
	return r.s[from:r.i]
}

// keyword reads key=value.
func (b book) keyword(r *reader, args *value) error {
	from := r.i
	for r.i < len(r.s) && nameByte(r.s[r.i]) {
		r.i++
	}
	key := r.s[from:r.i]
	if err := r.space(); err != nil {
		return err
	}
	if key == "" || r.s[r.i] != '=' {
		return r.fail("an argument has no name")
	}
	r.i++
	v, err := r.value(1)
	if err != nil {
		return err
	}
	if _, twice := args.get(key); twice {
		return r.fail(fmt.Sprintf("the argument %q stands there twice", key))
	}
	args.keys, args.items = append(args.keys, key), append(args.items, v)
	return nil
}

// pythonList reads [call, call].
func (b book) pythonList(s string) (calls []Call, n int, err error) {
	r := &reader{s: s}
	if err := r.space(); err != nil {
		return nil, 0, err
	}
	if r.s[r.i] != '[' {
		return nil, 0, r.fail("a list is missing")
	}
	r.i++
	for {
		if err := r.space(); err != nil {
			return nil, r.i, err
		}
		if r.s[r.i] == ']' {
			r.i++
			if len(calls) == 0 {
				return nil, r.i, r.fail("the list is empty")
			}
			return calls, r.i, nil
		}
		c, length, err := b.pythonCall(s[r.i:])
		if err != nil {
			return nil, r.i + length, err
		}
		calls = append(calls, c)
		r.i += length
		if err := r.comma(']'); err != nil {
			return nil, r.i, err
		}
	}
}

// pythonLines reads calls, one after the other, each of which may be printed.
func (b book) pythonLines(s string) (calls []Call, err error) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimLeft(s, " \t\r\n;") {
		if s[0] == '[' {
			more, n, err := b.pythonList(s)
			if err != nil {
				return nil, err
			}
			calls, s = append(calls, more...), s[n:]
			continue
		}
		inner, printed := strings.CutPrefix(s, "print(")
		if printed {
			s = inner
		}
		c, n, err := b.pythonCall(s)
		if err != nil {
			return nil, err
		}
		calls, s = append(calls, c), s[n:]
		if printed {
			rest, ok := strings.CutPrefix(strings.TrimLeft(s, " \t"), ")")
			if !ok {
				return nil, errOpen
			}
			s = rest
		}
	}
	if len(calls) == 0 {
		return nil, errOpen
	}
	return calls, nil
}
