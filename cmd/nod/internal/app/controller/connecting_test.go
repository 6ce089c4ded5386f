package controller

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// names of n targets.
func someNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("ssh:m%02d", i)
	}
	return names
}

// attempts are logins that last until they are let through.
type attempts struct {
	begun chan string
	go_   map[string]chan error
}

func newAttempts(names []string) *attempts {
	a := &attempts{begun: make(chan string), go_: map[string]chan error{}}
	for _, name := range names {
		a.go_[name] = make(chan error)
	}
	return a
}

func (a *attempts) do(name string) error {
	a.begun <- name
	return <-a.go_[name]
}

// TestTargetsAreConnectedSeveralAtOnceInTheirOrder: no more at once than is allowed, the
// next one when one has ended, and all of them although some hang for long.
func TestTargetsAreConnectedSeveralAtOnceInTheirOrder(t *testing.T) {
	names := someNames(20)
	a := newAttempts(names)
	var owned sync.WaitGroup
	ended := make(chan error)
	go func() { ended <- inOrder(owned.Go, names, 8, a.do) }()
	var first []string
	for range 8 {
		first = append(first, <-a.begun)
	}
	if slices.Sort(first); !slices.Equal(first, names[:8]) {
		t.Fatalf("begun: %q", first)
	}
	select {
	case name := <-a.begun:
		t.Fatalf("%s is the ninth at once", name)
	default:
	}
	for _, name := range names[8:] { // the first one hangs for all that time
		a.go_[prior(names, name)] <- nil
		if got := <-a.begun; got != name {
			t.Fatalf("%s has begun, want %s", got, name)
		}
	}
	for _, name := range append([]string{names[0]}, names[13:]...) {
		a.go_[name] <- nil
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	owned.Wait()
}

// prior is the attempt that is let through before name can begin: the first one is not.
func prior(names []string, name string) string {
	i := slices.Index(names, name)
	return names[i-7]
}

// TestAFaultThatEndsTheConsoleBeginsNothingMore, and is told while another attempt hangs.
func TestAFaultThatEndsTheConsoleBeginsNothingMore(t *testing.T) {
	names := someNames(9)
	var owned sync.WaitGroup
	var begun atomic.Int64
	hangs, fault := make(chan struct{}), errors.New("no such machine")
	err := inOrder(owned.Go, names, 2, func(name string) error {
		if begun.Add(1); name == names[1] {
			return fault
		}
		<-hangs
		return nil
	})
	if !errors.Is(err, fault) {
		t.Errorf("error %v, want %v", err, fault)
	}
	close(hangs)
	owned.Wait()
	if n := begun.Load(); n > 2 {
		t.Errorf("%d attempts have begun", n)
	}
}

// TestTheStatusSaysHowManyTargetsAreLeft, but of the one that is looked at how far it is.
func TestTheStatusSaysHowManyTargetsAreLeft(t *testing.T) {
	d := &Controller{
		Options:   Options{Targets: []string{"ssh:a", "ssh:b", "ssh:c"}},
		steps:     map[string]string{"ssh:a": "host key", "ssh:c": "dial"},
		attempted: map[string]bool{},
	}
	for _, one := range []struct {
		opening   []string
		attempted string
		want      string
	}{
		{[]string{"ssh:a", "ssh:b"}, "", "connecting ssh:a: host key"},
		{[]string{"ssh:b"}, "ssh:a", "connecting 2 targets"},
		{[]string{"ssh:c"}, "ssh:b", "connecting ssh:c: dial"},
		{nil, "", "connecting ssh:c: dial"},
		{nil, "ssh:c", ""},
	} {
		d.attempted[one.attempted] = true
		if got := d.connecting("ssh:a", one.opening); got != one.want {
			t.Errorf("%q are being connected: %q, want %q", one.opening, got, one.want)
		}
	}
}
