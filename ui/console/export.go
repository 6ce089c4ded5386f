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
	write := c.exporter(name)
	if write == nil {
		return
	}
	c.background(func(ctx context.Context) {
		var b bytes.Buffer
		err := write(ctx, &b)
		if err == nil {
			err = create(name, b.Bytes())
		}
		if err != nil {
			c.mail.put(explain("/export", err))
			return
		}
		path, err := filepath.Abs(name)
		if err != nil {
			path = name
		}
		c.mail.put(noted{"exported: " + path})
	})
}

// exporter writes what the end of a file's name says. It is nil, and the chat says why, if
// there is nothing of it.
func (c *Console) exporter(name string) func(context.Context, io.Writer) error {
	switch filepath.Ext(name) {
	case ".md":
		return c.conversationExporter()
	case ".svg":
		return c.pictureExporter()
	case ".cast":
		return c.recordingExporter()
	}
	c.chat.Fault(fmt.Sprintf("/export %q: want a name that ends in .md, .svg or .cast", name), "/export alone writes the conversation as Markdown")
	return nil
}

func (c *Console) conversationExporter() func(context.Context, io.Writer) error {
	text := c.chat.Markdown()
	if text == "" {
		c.chat.Fault("/export: the chat is empty", "")
		return nil
	}
	return func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func (c *Console) pictureExporter() func(context.Context, io.Writer) error {
	p := c.panes.at(c.focus.pane)
	if p == nil || p.pane.Snapshot() == nil {
		c.chat.Fault("/export: there is no terminal yet", "a name that ends in .md has the conversation")
		return nil
	}
	look, snapshot := svg.Dark, p.pane.Snapshot()
	if c.ground == themes.LightGround {
		look = svg.Light
	}
	return func(_ context.Context, w io.Writer) error { return svg.Write(w, snapshot, look) }
}

func (c *Console) recordingExporter() func(context.Context, io.Writer) error {
	if c.opt.Replay == nil {
		c.chat.Fault("/export: nothing is recorded here", "")
		return nil
	}
	return func(ctx context.Context, w io.Writer) error {
		tape, err := c.opt.Replay(ctx, "")
		if err != nil {
			return err
		}
		return recording.ExportV2(w, tape.Recording)
	}
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
