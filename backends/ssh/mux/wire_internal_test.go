package mux

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// TestFramesAreBounded: what a peer says of lengths is not believed, and no text
// carries a NUL to where it would end there.
func TestFramesAreBounded(t *testing.T) {
	for _, n := range []uint32{0, 3, maxFrame + 1, 1 << 31} {
		head := binary.BigEndian.AppendUint32(nil, n)
		from := bytes.NewReader(append(head, make([]byte, maxFrame+8)...))
		if _, _, err := readFrame(from); err == nil {
			t.Errorf("a message of %d bytes is taken", n)
		}
		if left := from.Len(); left != maxFrame+8 {
			t.Errorf("of a message of %d bytes, %d were read", n, maxFrame+8-left)
		}
	}
	if err := newFrame(msgHello).text(strings.Repeat("x", maxFrame)).writeTo(&bytes.Buffer{}); err == nil {
		t.Error("a message that is too long is sent")
	}
	for _, c := range []struct {
		body frame
		bad  bool
	}{
		{frame(nil).text("host"), false},
		{frame(nil).text("ho\x00st"), true},
		{frame(nil).u32(5), true},
		{frame(nil).u32(1 << 31).u32(0), true},
		{frame{0, 0}, true},
	} {
		f := &fields{left: c.body}
		if text := f.text(); f.bad != c.bad || c.bad && text != "" {
			t.Errorf("%q: %q, bad %t", c.body, text, f.bad)
		}
	}
}
