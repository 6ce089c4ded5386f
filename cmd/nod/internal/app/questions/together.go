package questions

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/nod-console/nod/backends/ssh"
)

// Together has one question asked for all connections that are made together and want the
// same: the passphrase of a key file, or the password of a user on a host that is on the way
// to several. A wrong answer is asked for once more, for all. What was answered is forgotten
// when the last of these connections is there or has failed. Its zero value is ready; safe
// for concurrent use.
type Together struct {
	// Changed, if not nil, is called when another one waits for an answer that is being
	// asked for.
	Changed func()

	mu     sync.Mutex
	begun  int // connections that are being made
	wanted map[secret]*shared
}

// secret is what is asked for.
type secret struct {
	kind       ssh.SecretKind
	key        string // the file of a passphrase
	user, host string // whose password, where
}

// shared is one secret that is asked for, and what was answered.
type shared struct {
	open    chan struct{}   // closed when what is being asked is answered; nil if nothing is asked
	waiting map[string]bool // targets that wait for that
	cancel  context.CancelFunc
	number  int // of the answer, from 1 on
	text    string
	err     error
	given   map[try]int // the numbers of the answers that targets have
}

// try is one attempt of a target's.
type try struct {
	host string
	n    int
}

// Begin says that a connection is being made, until the function that it returns is called.
func (t *Together) Begin() (ended func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.begun--
		t.forget()
	})
}

// forget drops what was answered, once no connection is being made.
func (t *Together) forget() {
	if t.begun == 0 {
		maps.DeleteFunc(t.wanted, func(_ secret, s *shared) bool { return s.open == nil })
	}
}

// Question asks for a secret. waiting are the targets that it is for at the moment.
type Question func(ctx context.Context, q ssh.SecretQuestion, waiting func() []string) (string, error)

// Secret asks by ask, or waits for what was asked for by another connection. What is another
// one at each time, such as a one-time password, is asked for each.
func (t *Together) Secret(ctx context.Context, q ssh.SecretQuestion, ask Question) (string, error) {
	of := secret{kind: q.Kind, key: q.Key}
	switch q.Kind {
	case ssh.Passphrase:
	case ssh.Password:
		of.user, of.host = q.User, q.Host
	default:
		return ask(ctx, q, func() []string { return []string{q.Host} })
	}
	t.mu.Lock()
	s := t.wanted[of]
	if s == nil {
		s = &shared{waiting: map[string]bool{}, given: map[try]int{}}
		if t.wanted == nil {
			t.wanted = map[secret]*shared{}
		}
		t.wanted[of] = s
	}
	wrong := s.given[try{q.Host, q.Try - 1}] // 0 for the first try
	if s.open == nil && s.number > wrong {
		defer t.mu.Unlock()
		return s.take(q)
	}
	if s.open == nil {
		t.ask(ctx, s, q, ask)
	}
	open := s.open
	s.waiting[q.Host] = true
	t.mu.Unlock()
	if t.Changed != nil {
		t.Changed()
	}
	return t.await(ctx, s, q, open)
}

// ask puts the question, for as long as somebody waits for the answer. t is locked.
func (t *Together) ask(ctx context.Context, s *shared, q ssh.SecretQuestion, ask Question) {
	asking, cancel := context.WithCancel(context.WithoutCancel(ctx))
	open := make(chan struct{})
	s.open, s.cancel = open, cancel
	go func() {
		defer cancel()
		text, err := ask(asking, q, func() []string {
			t.mu.Lock()
			defer t.mu.Unlock()
			return slices.Sorted(maps.Keys(s.waiting))
		})
		t.mu.Lock()
		defer t.mu.Unlock()
		if s.open != open { // everybody has given up, and it is asked anew
			return
		}
		s.text, s.err, s.open = text, err, nil
		s.number++
		clear(s.waiting)
		close(open)
	}()
}

// await waits for the answer to what is asked.
func (t *Together) await(ctx context.Context, s *shared, q ssh.SecretQuestion, open <-chan struct{}) (string, error) {
	select {
	case <-open:
		t.mu.Lock()
		defer t.mu.Unlock()
		defer t.forget()
		return s.take(q)
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.open == open {
		delete(s.waiting, q.Host)
		if len(s.waiting) == 0 {
			s.open = nil
			s.cancel()
			t.forget()
		}
	}
	return "", errors.Join(ssh.ErrNotAnswered, context.Cause(ctx))
}

// take is the answer for one try of a target.
func (s *shared) take(q ssh.SecretQuestion) (string, error) {
	s.given[try{q.Host, q.Try}] = s.number
	return s.text, s.err
}
