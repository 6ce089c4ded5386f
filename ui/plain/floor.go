package plain

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
)

// floor says who has the terminal's input: the prompt, or one question.
type floor struct {
	free chan struct{} // holds one while nobody has it

	mu      sync.Mutex
	waiting int                // questions that wait or have it
	yield   context.CancelFunc // ends the reading of a prompt; nil if none is read
}

func newFloor() *floor {
	f := &floor{free: make(chan struct{}, 1)}
	f.free <- struct{}{}
	return f
}

// ask runs do while nobody else reads. A prompt that is being read gives way.
func (f *floor) ask(ctx context.Context, do func() error) error {
	f.wait(1)
	defer f.wait(-1)
	if err := f.take(ctx); err != nil {
		return err
	}
	defer f.leave()
	return do()
}

// wait counts a question in or out.
func (f *floor) wait(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting += n
	if n > 0 && f.yield != nil {
		f.yield()
	}
}

func (f *floor) take(ctx context.Context) error {
	select {
	case <-f.free:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (f *floor) leave() { f.free <- struct{}{} }

// read reads a prompt, again and again until no question has come in between.
func (f *floor) read(ctx context.Context, read func(context.Context) (string, error)) (string, error) {
	for {
		if err := f.take(ctx); err != nil {
			return "", err
		}
		mine, cancel := context.WithCancel(ctx)
		f.mu.Lock()
		f.yield = cancel
		if f.waiting > 0 {
			cancel()
		}
		f.mu.Unlock()
		text, err := "", mine.Err()
		if err == nil {
			text, err = read(mine)
		}
		f.mu.Lock()
		f.yield = nil
		f.mu.Unlock()
		gaveWay := mine.Err() != nil && ctx.Err() == nil
		cancel()
		f.leave()
		if err == nil || !gaveWay {
			return text, err
		}
	}
}

// maxPrompt bounds a prompt, in bytes. The terminal's own limit is lower: 4,095
// on Linux (termios(3), canonical mode).
const maxPrompt = 1 << 20

// readLine reads a line, byte by byte, so that nothing behind it is taken. When
// ctx ends before its first byte, that is the error; the rest of a line is there
// at once, since terminals hand out whole lines.
func readLine(ctx context.Context, tty Terminal) (string, error) {
	_ = tty.SetReadDeadline(time.Time{}) // a question that was withdrawn leaves its own behind
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = tty.SetReadDeadline(time.Unix(1, 0)) // a file without deadlines is read to the end of its line
	})
	defer func() {
		if !stop() {
			<-ended
		}
		_ = tty.SetReadDeadline(time.Time{}) // as above
	}()
	var line strings.Builder
	var b [1]byte
	for {
		n, err := tty.Read(b[:])
		if n == 1 {
			if b[0] == '\n' {
				return strings.TrimSuffix(line.String(), "\r"), nil
			}
			if line.Len() < maxPrompt {
				line.WriteByte(b[0])
			}
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case errors.Is(err, io.EOF) && line.Len() > 0:
			return line.String(), nil
		default:
			return "", err
		}
	}
}
