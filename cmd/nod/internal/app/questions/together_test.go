package questions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/backends/ssh"
)

// counter is an operator who is asked; each question waits on say.
type counter struct {
	t        *testing.T
	together Together
	changed  chan struct{}
	asked    chan asked
}

type asked struct {
	q       ssh.SecretQuestion
	waiting func() []string
	say     chan reply
	ctx     context.Context
}

type reply struct {
	text string
	err  error
}

func newCounter(t *testing.T) *counter {
	d := &counter{t: t, changed: make(chan struct{}, 100), asked: make(chan asked, 100)}
	d.together.Changed = func() { d.changed <- struct{}{} }
	return d
}

func (d *counter) ask(ctx context.Context, q ssh.SecretQuestion, waiting func() []string) (string, error) {
	a := asked{q, waiting, make(chan reply), ctx}
	d.asked <- a
	select {
	case r := <-a.say:
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// locked asks for the passphrase of a key for a host.
func locked(host string, try int) ssh.SecretQuestion {
	return ssh.SecretQuestion{Kind: ssh.Passphrase, Host: host, User: "op", Key: "/k", Try: try}
}

// start has questions come; each is known to wait when start returns.
func (d *counter) start(ctx context.Context, all ...ssh.SecretQuestion) (results []chan reply) {
	d.t.Helper()
	for _, q := range all {
		came := make(chan reply, 1)
		results = append(results, came)
		go func() {
			text, err := d.together.Secret(ctx, q, d.ask)
			came <- reply{text, err}
		}()
		<-d.changed
	}
	return results
}

// none fails if something is asked.
func (d *counter) none(when string) {
	d.t.Helper()
	select {
	case a := <-d.asked:
		d.t.Errorf("%s: asked for %+v", when, a.q)
	default:
	}
}

// TestOnePassphraseForAllThatWait: asked once, a wrong one once more for all, and whoever
// comes later while the others are still being connected has it, too.
func TestOnePassphraseForAllThatWait(t *testing.T) {
	d := newCounter(t)
	ended := d.together.Begin()
	first := d.start(t.Context(), locked("a", 1), locked("b", 1), locked("c", 1))
	a := <-d.asked
	if got := a.waiting(); !slices.Equal(got, []string{"a", "b", "c"}) || a.q.Try != 1 {
		t.Errorf("it is for %q", got)
	}
	a.say <- reply{"wrong", nil}
	for _, r := range first {
		if got := <-r; got.text != "wrong" {
			t.Errorf("%+v", got)
		}
	}
	second := d.start(t.Context(), locked("b", 2), locked("a", 2))
	a = <-d.asked
	if got := a.waiting(); !slices.Equal(got, []string{"a", "b"}) || a.q.Try != 2 {
		t.Errorf("again for %q, try %d", got, a.q.Try)
	}
	a.say <- reply{"right", nil}
	for _, r := range second {
		if got := <-r; got.text != "right" {
			t.Errorf("%+v", got)
		}
	}
	for _, q := range []ssh.SecretQuestion{locked("c", 2), locked("d", 1)} {
		if text, err := d.together.Secret(t.Context(), q, d.ask); text != "right" || err != nil {
			t.Errorf("%s, which comes late: %q, %v", q.Host, text, err)
		}
	}
	d.none("afterwards")
	ended()
	if len(d.together.wanted) > 0 {
		t.Fatalf("it is kept: %d", len(d.together.wanted))
	}
	late := d.start(t.Context(), locked("d", 1))
	(<-d.asked).say <- reply{"anew", nil}
	if got := <-late[0]; got.text != "anew" || len(d.together.wanted) > 0 {
		t.Errorf("%+v, and %d kept", got, len(d.together.wanted))
	}
}

// TestARefusalIsForAll: who gives up is not asked again for each host of the start.
func TestARefusalIsForAll(t *testing.T) {
	d := newCounter(t)
	defer d.together.Begin()()
	all := d.start(t.Context(), locked("a", 1), locked("b", 1))
	(<-d.asked).say <- reply{"", ssh.ErrNotAnswered}
	for _, r := range all {
		if got := <-r; !errors.Is(got.err, ssh.ErrNotAnswered) {
			t.Errorf("%+v", got)
		}
	}
	if _, err := d.together.Secret(t.Context(), locked("c", 1), d.ask); !errors.Is(err, ssh.ErrNotAnswered) {
		t.Errorf("%v", err)
	}
	d.none("after a refusal")
}

// TestOthersAreAskedForThemselves: another key, another user or host, and what a server asks.
func TestOthersAreAskedForThemselves(t *testing.T) {
	d := newCounter(t)
	defer d.together.Begin()()
	other := locked("b", 1)
	other.Key = "/other"
	password := func(user, host string) ssh.SecretQuestion {
		return ssh.SecretQuestion{Kind: ssh.Password, User: user, Host: host, Key: "", Try: 1}
	}
	apart := []ssh.SecretQuestion{locked("a", 1), other, password("op", "jump"), password("root", "jump"), password("op", "web")}
	results := d.start(t.Context(), apart...)
	together := d.start(t.Context(), password("op", "jump"))
	for range apart {
		a := <-d.asked
		a.say <- reply{fmt.Sprint(a.q.Kind, a.q.Key, a.q.User, a.q.Host), nil}
	}
	seen := map[string]bool{}
	for i, r := range results {
		got := <-r
		if q := apart[i]; !strings.Contains(got.text, q.Key) || seen[got.text] {
			t.Errorf("%+v: %+v", q, got)
		}
		seen[got.text] = true
	}
	if got := <-together[0]; !strings.HasSuffix(got.text, "opjump") {
		t.Errorf("the same password: %+v", got)
	}
	var challenges sync.WaitGroup
	for range 2 {
		challenges.Go(func() {
			_, _ = d.together.Secret(t.Context(), ssh.SecretQuestion{Kind: ssh.Challenge, Host: "web", Prompt: "Code:", Try: 1}, d.ask)
		})
	}
	for range 2 {
		(<-d.asked).say <- reply{"123", nil}
	}
	challenges.Wait()
}

// TestTheQuestionOutlivesWhoAskedFirst, and ends with the last one that waits.
func TestTheQuestionOutlivesWhoAskedFirst(t *testing.T) {
	d := newCounter(t)
	defer d.together.Begin()()
	ctx, cancel := context.WithCancel(t.Context())
	first := d.start(ctx, locked("a", 1))
	others, stop := context.WithCancel(t.Context())
	second := d.start(others, locked("b", 1))
	a := <-d.asked
	cancel()
	if got := <-first[0]; !errors.Is(got.err, ssh.ErrNotAnswered) || !errors.Is(got.err, context.Canceled) {
		t.Errorf("%+v", got)
	}
	if got := a.waiting(); !slices.Equal(got, []string{"b"}) || a.ctx.Err() != nil {
		t.Errorf("it is for %q: %v", got, a.ctx.Err())
	}
	stop()
	<-second[0]
	<-a.ctx.Done()
	third := d.start(t.Context(), locked("c", 1))
	(<-d.asked).say <- reply{"right", nil}
	if got := <-third[0]; got.text != "right" {
		t.Errorf("%+v", got)
	}
}
