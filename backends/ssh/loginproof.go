package ssh

import (
	"context"

	"golang.org/x/crypto/ssh"
)

// Reconnects proves that the host still lets the operator in: it logs in anew,
// over a connection of its own that nothing else rides on, runs "true" there and
// hangs up. Nil means that all of it worked. The errors are those of [Dial], or
// say what the host answered. The target's own connection is not touched; if it
// is lost, the next attempt to make it again comes at once.
func (t *Target) Reconnects(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.life, cancel)()
	d := t.dialer
	d.quick = eagerDial
	c, err := d.dial(ctx, t.host, nil, 1)
	if err != nil {
		return err
	}
	_, err = within(ctx, openTime, func() (struct{}, error) { return struct{}{}, runsTrue(c.Client) }, func(struct{}) {})
	_ = c.Close() // proved or not, nobody needs it
	if err != nil {
		return &DialError{t.Name(), Starting, err, ""}
	}
	if _, err := t.Conn(); err != nil {
		t.Retry()
	}
	return nil
}

// runsTrue starts the smallest program there is.
func runsTrue(c *ssh.Client) error {
	s, err := c.NewSession()
	if err != nil {
		return err
	}
	err = s.Run("true")
	_ = s.Close() // it has ended
	return err
}
