package recording

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/vt"
)

// ExportV2 writes a recording as an asciicast of version 2.
func ExportV2(w io.Writer, r *Recording) error {
	header := r.Header
	header.Version = 2
	return export(w, header, r.Events, func(at, _ time.Duration) time.Duration { return at })
}

// ExportV3 writes a recording as an asciicast of version 3, in which times are
// intervals.
func ExportV3(w io.Writer, r *Recording) error {
	type term struct {
		Cols int    `json:"cols"`
		Rows int    `json:"rows"`
		Type string `json:"type,omitempty"`
	}
	header := struct {
		Version   int               `json:"version"`
		Term      term              `json:"term"`
		Timestamp int64             `json:"timestamp,omitempty"`
		Title     string            `json:"title,omitempty"`
		Env       map[string]string `json:"env,omitempty"`
		Nod       *Origin           `json:"nod,omitempty"`
	}{3, term{r.Header.Width, r.Header.Height, r.Header.Env["TERM"]}, r.Header.Timestamp, r.Header.Title, r.Header.Env, r.Header.Nod}
	// Rounded as they are written, or intervals would drift.
	return export(w, header, r.Events, func(at, last time.Duration) time.Duration {
		return at.Round(time.Microsecond) - last.Round(time.Microsecond)
	})
}

func export(w io.Writer, header any, events []Event, timeOf func(at, last time.Duration) time.Duration) error {
	out := bufio.NewWriter(w)
	first, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	_, _ = out.Write(append(first, '\n')) // bufio keeps the error for Flush
	var line []byte
	var last time.Duration
	for _, e := range events {
		line = appendEvent(line[:0], timeOf(e.At, last), e.Kind, []byte(e.Text))
		last = e.At
		_, _ = out.Write(line)
	}
	return out.Flush()
}

// ExportText writes a picture as plain text: a line a row, without blanks at
// their ends and without empty lines at the end.
func ExportText(w io.Writer, s *vt.Snapshot) error {
	lines := make([]string, s.Size.Rows)
	for y := range lines {
		lines[y] = s.RowText(y)
	}
	text := strings.TrimRight(strings.Join(lines, "\n"), "\n")
	_, err := io.WriteString(w, text+"\n")
	return err
}
