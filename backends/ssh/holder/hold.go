package holder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// Login makes the connection that is to be held, and says how it is served.
type Login func(ctx context.Context, host ssh.Host, opt ssh.Options) (conn mux.Conn, settings mux.Options, err error)

// errIdle is why a holder ends that nobody uses.
var errIdle = errors.New("not used for as long as it was to persist")

// Hold is the life of a holder. in and out are the pipe to its starter, which
// closes it once the control socket is there. Hold returns when the connection
// has ended; the error says why, and is nil where that was asked for. lasting
// says of an error of login that another try would fail, too.
func Hold(ctx context.Context, in io.Reader, out io.WriteCloser, login Login, lasting func(error) bool) error {
	p := newPipe(in, out)
	first, err := p.receive()
	if err != nil {
		return err
	}
	if first.Order == nil {
		return errors.New("holder: the first message is no order")
	}
	h := &hold{order: *first.Order, pipe: p, login: login}
	defer h.clean()
	l, conn, opt, err := h.begin(ctx)
	if err != nil {
		failed := &LoginError{Text: err.Error(), Lasting: lasting(err)}
		return errors.Join(err, p.send(message{Failed: failed}), out.Close())
	}
	if err := errors.Join(p.send(message{Ready: &h.info}), out.Close()); err != nil {
		// Nobody knows of the connection, but it can be used.
		slog.Warn("starter", "error", err)
	}
	if conn == nil { // another holder came first
		return nil
	}
	return h.serve(ctx, l, conn, opt)
}

// hold is a holder.
type hold struct {
	order Order
	pipe  *pipe
	login Login

	lock *os.File
	base string
	info Info
}

// begin logs in and makes the control socket, or finds that another holder has:
// then there is no connection. It gives up when the starter goes away.
func (h *hold) begin(ctx context.Context) (l *mux.Listener, conn mux.Conn, opt mux.Options, err error) {
	host, err := ssh.Parse(h.order.Host)
	if err != nil {
		return nil, nil, opt, err
	}
	h.base = h.order.Folder.base(host)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	questions := h.listen(ctx, cancel)
	if other, err := h.claim(ctx); err != nil || other {
		return nil, nil, opt, err
	}
	conn, opt, err = h.login(ctx, host, ssh.Options{
		Config: h.order.Config, Agent: h.order.Agent, Keepalive: h.order.Keepalive, DialTimeout: h.order.DialTimeout,
		Asker: questions,
		Step: func(s ssh.Step) {
			if err := h.pipe.send(message{Step: &s}); err != nil {
				cancel(errStarterGone)
			}
		},
	})
	if err != nil {
		return nil, nil, opt, err
	}
	if l, err = mux.Listen(h.base + socketEnd); err != nil {
		return nil, nil, opt, errors.Join(err, conn.Close())
	}
	if err := h.write(host); err != nil {
		return nil, nil, opt, errors.Join(err, l.Close(), conn.Close())
	}
	return l, conn, opt, nil
}

// listen takes the starter's answers, until it closes the pipe: before the login
// is done that ends it.
func (h *hold) listen(ctx context.Context, gone context.CancelCauseFunc) ssh.Asker {
	answers := make(chan answer)
	go func() {
		defer close(answers)
		for {
			m, err := h.pipe.receive()
			if err != nil || m.Answer == nil {
				gone(errStarterGone)
				return
			}
			select {
			case answers <- *m.Answer:
			case <-ctx.Done():
				return
			}
		}
	}()
	return asker{h.pipe, answers}.questions()
}

// claim takes the host's lock, or finds the holder that has it, as soon as that
// one is ready.
func (h *hold) claim(ctx context.Context) (other bool, err error) {
	for {
		h.lock, err = lockFile(h.base + lockEnd)
		if !errors.Is(err, errLocked) {
			return false, err
		}
		if h.info, err = h.order.Folder.read(ctx, h.base); err == nil {
			return true, nil
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// write puts down whose socket it is.
func (h *hold) write(host ssh.Host) error {
	h.info = Info{
		Host: host.String(), Socket: h.base + socketEnd, Pid: os.Getpid(),
		Since: time.Now(), Persist: h.order.Persist,
	}
	text, err := json.Marshal(h.info)
	if err != nil {
		return fmt.Errorf("holder: %w", err)
	}
	if err := os.WriteFile(h.base+infoEnd, text, 0o600); err != nil {
		return fmt.Errorf("holder: %w", err)
	}
	return nil
}

// serve answers on the control socket until the connection ends, somebody ends
// it, or nobody uses it.
func (h *hold) serve(ctx context.Context, l *mux.Listener, conn mux.Conn, opt mux.Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	opt.Log = slog.Default()
	if h.order.Persist > 0 {
		idle := time.AfterFunc(h.order.Persist, func() { cancel(errIdle) })
		defer idle.Stop()
		opt.Activity = func(open int) {
			if open > 0 {
				idle.Stop()
			} else {
				idle.Reset(h.order.Persist)
			}
		}
	}
	err := mux.Serve(ctx, l, conn, opt)
	if errors.Is(err, errIdle) || errors.Is(err, mux.ErrTerminated) {
		return nil
	}
	return err
}

// clean removes what belongs to the socket, which mux has removed itself.
func (h *hold) clean() {
	if h.lock == nil {
		return
	}
	for _, end := range []string{infoEnd, logEnd} {
		if err := os.Remove(h.base + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			slog.Warn("left behind", "error", err)
		}
	}
	_ = h.lock.Close() // nothing was written; it frees the lock
}
