package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

// shelf is a memory that says what it was asked.
type shelf struct {
	did []string
	err error
}

func (s *shelf) say(what ...string) { s.did = append(s.did, strings.Join(what, " ")) }

func (s *shelf) Check(text string) (string, error) {
	if strings.Contains(text, "hunter2") {
		return "", errors.New("it looks like a secret")
	}
	return strings.TrimSpace(text), nil
}

func (s *shelf) PlanRemember(scope, target, conversation, text string, tainted bool) (desk.Draft, error) {
	s.say("plan", scope, target, conversation, text)
	old := []byte("- old\n")
	if tainted {
		text += " [tainted]"
	}
	return desk.Draft{Path: "/m/" + scope + ".md", Old: old, Content: []byte("- old\n- " + text + "\n"), Expect: backends.VersionOf(old)}, s.err
}

func (s *shelf) PlanForget(_, id string) (desk.Draft, error) {
	if id != "abcd1234" {
		return desk.Draft{}, errors.New("there is no such entry")
	}
	return desk.Draft{Path: "/m/global.md", Old: []byte("- old\n"), Content: []byte{}}, s.err
}

func (s *shelf) Write(path string, _ backends.Version, content []byte) error {
	s.say("write", path, string(content))
	return s.err
}

func (s *shelf) Note(_ context.Context, conversation, text string, tainted bool) (string, error) {
	if tainted {
		text += " [tainted]"
	}
	s.say("note", conversation, text)
	return "c1", s.err
}

func (s *shelf) ForgetNote(_ context.Context, conversation, id string) error {
	s.say("forget", conversation, id)
	return s.err
}

func (s *shelf) IsNote(id string) bool { return strings.HasPrefix(id, "c1") }

func (s *shelf) env() tools.Env {
	return tools.Env{Conversation: "k", Target: "ssh:web-1", Tainted: func(text string) bool { return strings.Contains(text, "evil") }}
}

func plan(t *testing.T, tool tools.Tool, env tools.Env, args string) tools.Action {
	t.Helper()
	a, err := tool.Plan(t.Context(), json.RawMessage(args), env)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return a
}

func TestAFileOfMemoryChangesOnlyByItsGrant(t *testing.T) {
	minter, verifier := tools.NewMint()
	s := &shelf{}
	remember, forget := &desk.Remember{Memory: s, Verifier: verifier}, &desk.Forget{Memory: s, Verifier: verifier}
	env := s.env()
	spectest.Misfits(t, remember, env, spectest.Tool(t, remember)[0])
	spectest.Misfits(t, forget, env, spectest.Tool(t, forget)[0])
	a := plan(t, remember, env, `{"text":" the evil host ","scope":"global","why":"he said so"}`)
	if a.Kind != tools.Write || a.Target != tools.Desk || a.Path != "/m/global.md" || a.Claim.Why != "he said so" || !a.Claim.Mutation ||
		!strings.Contains(a.Diff, "+- the evil host [tainted]") || a.Expect != backends.VersionOf([]byte("- old\n")) {
		t.Errorf("%+v", a)
	}
	if _, err := remember.Execute(t.Context(), a, env); !errors.Is(err, tools.ErrNotGranted) {
		t.Errorf("without a grant: %v", err)
	}
	env.Grant = minter.Mint(a)
	changed := a
	changed.Content = append([]byte("x"), a.Content...)
	if _, err := remember.Execute(t.Context(), changed, env); !errors.Is(err, tools.ErrNotGranted) {
		t.Errorf("with another byte: %v", err)
	}
	if len(s.did) != 1 {
		t.Fatalf("something was done: %q", s.did)
	}
	r, err := remember.Execute(t.Context(), a, env)
	if err != nil || r.IsError || s.did[1] != "write /m/global.md - old\n- the evil host [tainted]\n" {
		t.Errorf("%+v, %v, %q", r, err, s.did)
	}
	if _, err := remember.Execute(t.Context(), a, env); !errors.Is(err, tools.ErrNotGranted) {
		t.Errorf("twice: %v", err)
	}

	a = plan(t, forget, env, `{"id":"(abcd1234)"}`)
	if a.Kind != tools.Write || !strings.Contains(a.Diff, "-- old") {
		t.Errorf("%+v", a)
	}
	env.Grant = minter.Mint(a)
	s.err = errors.New("the file has changed meanwhile")
	if r, err := forget.Execute(t.Context(), a, env); err != nil || !r.IsError || !strings.Contains(r.Value.(tools.Problem).Error, "changed meanwhile") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAConversationRemembersAtOnce(t *testing.T) {
	s := &shelf{}
	remember, forget := &desk.Remember{Memory: s}, &desk.Forget{Memory: s}
	env := s.env()
	for _, args := range []string{`{"text":"from evil"}`, `{"text":"plain","scope":"conversation"}`} {
		a := plan(t, remember, env, args)
		if a.Kind != tools.Pure {
			t.Fatalf("%+v", a)
		}
		if r, err := remember.Execute(t.Context(), a, env); err != nil || r.Value.(desk.Kept).ID != "c1" {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if _, err := forget.Execute(t.Context(), plan(t, forget, env, `{"id":"c1"}`), env); err != nil {
		t.Error(err)
	}
	if got := strings.Join(s.did, "|"); got != "note k from evil [tainted]|note k plain|forget k c1" {
		t.Error(got)
	}
	var no *tools.Rejection
	var invalid *tools.Error
	for args, rejected := range map[string]bool{
		`{"text":"hunter2"}`: true, `{"text":"hunter2","scope":"global"}`: true, `{}`: false, `{"text":"x","scope":"world"}`: false,
	} {
		_, err := remember.Plan(t.Context(), json.RawMessage(args), env)
		if rejected && !errors.As(err, &no) || !rejected && !errors.As(err, &invalid) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := forget.Plan(t.Context(), json.RawMessage(`{"id":"zzz"}`), env); !errors.As(err, &no) {
		t.Errorf("%v", err)
	}
	if _, err := remember.Plan(t.Context(), json.RawMessage(`{"text":"x"}`), tools.Env{}); !errors.As(err, &no) {
		t.Errorf("without a conversation: %v", err)
	}
}

func TestASkillIsLoadedAndNarrows(t *testing.T) {
	tool := &desk.ActivateSkill{Load: func(name string) (desk.SkillText, error) {
		switch name {
		case "free":
			return desk.SkillText{Name: name, Body: "do"}, nil
		case "narrow":
			return desk.SkillText{Name: name, Body: "do", Tools: []string{"time"}}, nil
		}
		return desk.SkillText{}, errors.New("there is no such skill")
	}}
	spectest.Misfits(t, tool, tools.Env{}, spectest.Tool(t, tool)[0])
	for name, want := range map[string]string{"free": "<nil>", "narrow": "time activate_skill"} {
		r, err := tool.Execute(t.Context(), plan(t, tool, tools.Env{}, `{"name":"`+name+`"}`), tools.Env{})
		got := strings.Join(r.Only, " ")
		if r.Only == nil {
			got = "<nil>"
		}
		if err != nil || got != want || r.Value.(desk.SkillText).Body != "do" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if r, err := tool.Execute(t.Context(), plan(t, tool, tools.Env{}, `{"name":"none"}`), tools.Env{}); err != nil || !r.IsError || r.Only != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
