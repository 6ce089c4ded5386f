package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends/vt/svg"
	"github.com/nod-console/nod/themes"
)

// export writes what is on the screen to a new file, as the end of its name says: the
// conversation as Markdown, the picture of the terminal as SVG, or the newest
// recording as asciicast.
func (c *Console) export(name string) {
	if name == "" {
		name = "nod-" + c.now().Local().Format("2006-01-02-150405") + ".md"
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			name = filepath.Join(home, rest)
		}
	}
	var write func(ctx context.Context, w io.Writer) error
	switch filepath.Ext(name) {
	case ".md":
		text := c.chat.Markdown()
		if text == "" {
			c.chat.Fault("/export: the chat is empty", "")
			return
		}
		write = func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
	case ".svg":
		p := c.panes.at(c.focus.pane)
		if p == nil || p.pane.Snapshot() == nil {
			c.chat.Fault("/export: there is no terminal yet", "a name that ends in .md has the conversation")
			return
		}
		look, snapshot := svg.Dark, p.pane.Snapshot()
		if c.ground == themes.LightGround {
			look = svg.Light
		}
		write = func(_ context.Context, w io.Writer) error { return svg.Write(w, snapshot, look) }
	case ".cast":
		if c.opt.Replay == nil {
			c.chat.Fault("/export: nothing is recorded here", "")
			return
		}
		write = func(ctx context.Context, w io.Writer) error {
			tape, err := c.opt.Replay(ctx, "")
			if err != nil {
				return err
			}
			return recording.ExportV2(w, tape.Recording)
		}
	default:
		c.chat.Fault(fmt.Sprintf("/export %q: want a name that ends in .md, .svg or .cast", name), "/export alone writes the conversation as Markdown")
		return
	}
	c.background(func(ctx context.Context) {
		var b bytes.Buffer
		err := write(ctx, &b)
		if err == nil {
			err = create(name, b.Bytes())
		}
		if err != nil {
			c.mail.put(failed{"/export: " + err.Error(), ""})
			return
		}
		path, err := filepath.Abs(name)
		if err != nil {
			path = name
		}
		c.mail.put(noted{"exported: " + path})
	})
}

// create writes a file that does not exist yet.
func create(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names it
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: give another name", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
