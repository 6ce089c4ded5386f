package tools_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// shownOnly are the fields that describe an action without changing what it
// does. Everything else must be covered by the digest.
var shownOnly = map[string]bool{"Diff": true}

func TestDigestCoversEveryField(t *testing.T) {
	base := tools.Action{Tool: "run_shell", Kind: tools.Run, Target: "local", Keys: []string{"Up"}, Command: "ls"}
	typ := reflect.TypeOf(base)
	for i := range typ.NumField() {
		name := typ.Field(i).Name
		for _, change := range mutations(base, i) {
			changed := change.Digest() != base.Digest()
			if changed == shownOnly[name] {
				t.Errorf("changing %s: digest changed = %v", name, changed)
			}
		}
	}
}

// mutations returns copies of a in which field i, or one leaf below it, has
// another value.
func mutations(a tools.Action, i int) []tools.Action {
	var all []tools.Action
	var walk func(path []int, v reflect.Value)
	walk = func(path []int, v reflect.Value) {
		if v.Kind() == reflect.Struct {
			for j := range v.NumField() {
				walk(append(append([]int(nil), path...), j), v.Field(j))
			}
			return
		}
		b := a
		b.Keys = append([]string(nil), a.Keys...)
		set(reflect.ValueOf(&b).Elem().FieldByIndex(path))
		all = append(all, b)
	}
	walk([]int{i}, reflect.ValueOf(a).Field(i))
	return all
}

func set(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + int64(time.Second))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	default:
		panic("no mutation for " + v.Kind().String())
	}
}

func TestDigestKeepsNeighbouringFieldsApart(t *testing.T) {
	pairs := [][2]tools.Action{
		{{Command: "ab", Dialect: "c"}, {Command: "a", Dialect: "bc"}},
		{{Keys: []string{"a", "b"}}, {Keys: []string{"ab"}}},
		{{Keys: []string{"a"}}, {Literal: "a"}},
		{{Path: "/x", Content: []byte("y")}, {Path: "/xy"}},
		{{Expect: backends.Version{Exists: true}}, {Background: true}},
	}
	for _, p := range pairs {
		if p[0].Digest() == p[1].Digest() {
			t.Errorf("same digest for %+v and %+v", p[0], p[1])
		}
	}
}

func TestGrantAllowsExactlyTheActionItWasMintedFor(t *testing.T) {
	minter, verifier := tools.NewMint()
	a := tools.Action{Tool: "run_shell", Kind: tools.Exec, Target: "local", Command: "rm x"}
	g := minter.Mint(a)
	if err := verifier.Check(a, g); err != nil {
		t.Fatalf("the granted action: %v", err)
	}
	b := a
	b.Command = "rm y"
	if err := verifier.Check(b, g); err == nil {
		t.Error("one byte changed, and the grant still holds")
	}
	if err := verifier.Check(a, tools.Grant{}); err == nil {
		t.Error("the zero grant allows")
	}
	if err := verifier.Check(tools.Action{}, tools.Grant{}); err == nil {
		t.Error("the zero grant allows the zero action")
	}
	foreign, _ := tools.NewMint()
	if err := verifier.Check(a, foreign.Mint(a)); err == nil {
		t.Error("a grant of another mint allows")
	}
}

func TestGrantIsRedeemedOnce(t *testing.T) {
	minter, verifier := tools.NewMint()
	a := tools.Action{Command: "true"}
	g := minter.Mint(a)
	if err := verifier.Redeem(a, g); err != nil {
		t.Fatal(err)
	}
	if err := verifier.Redeem(a, g); err == nil {
		t.Error("redeemed twice")
	}
	if err := verifier.Redeem(a, minter.Mint(a)); err != nil {
		t.Errorf("a second grant for the same action: %v", err)
	}
}
