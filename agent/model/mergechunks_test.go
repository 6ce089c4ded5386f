package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"pgregory.net/rapid"
)

// TestJoinedPiecesAreTheSameReply: chunks that came together are read as one, whatever
// stands between them. The reply is that of chunks which come one by one.
func TestJoinedPiecesAreTheSameReply(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		`{"content":"a"}`, `{"content":"word "}`, `{"content":""}`, `{"content":"\"quoted\" \\ \n"}`, `{"content":"\\"}`, `{"content":"日本"}`,
		`{"content":"\u65e5"}`, `{"content":null}`, `{"role":"assistant","content":"x"}`, `{"reasoning_content":"hm"}`, `{"content":"x","reasoning_content":"hm"}`,
		`{"content":"say \"content\":\"y\" "}`, `{ "content": "set apart" }`, `{"refusal":"no","content":"b"}`, `{"content":"<think>"}`, `{"content":"</think>"}`,
		`{"content":[{"type":"text","text":"part"}]}`,
		`{"content":"c","tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
	})
	rapid.Check(t, func(t *rapid.T) {
		var stream strings.Builder
		for range rapid.IntRange(1, 12).Draw(t, "chunks") {
			piece := chunk(pieces.Draw(t, "piece"))
			for range rapid.IntRange(1, 4).Draw(t, "times") {
				stream.WriteString(piece)
			}
			if rapid.IntRange(0, 5).Draw(t, "comment") == 0 {
				stream.WriteString(": still there\n\n")
			}
		}
		stream.WriteString(stop + done)
		together, alone := readReply(t, stream.String(), false), readReply(t, stream.String(), true)
		if together != alone {
			t.Fatalf("%q\nis not %q", together, alone)
		}
	})
}

// readReply is all of a reply, read at once or byte by byte.
func readReply(t *rapid.T, stream string, slow bool) string {
	c := &Client{cfg: Config{}, host: "model.invalid"}
	var r io.Reader = strings.NewReader(stream)
	if slow {
		r = &oneByte{r}
	}
	x := &exchange{c: c, stream: true}
	f := &frames{x: x, events: newEventReader(r), raw: &watched{}, body: io.NopCloser(r), cancel: func(error) {}}
	out, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	asm := newAssembly("model.invalid", func(Delta) {})
	for line := range bytes.Lines(out) {
		if err := asm.add(decode(t, line), nil); err != nil {
			t.Fatal(err)
		}
	}
	reply := asm.reply(map[string]bool{})
	return reply.Message.Content + "|" + reply.Message.Reasoning + "|" + strings.Repeat("call ", len(reply.Message.Calls))
}

func decode(t *rapid.T, line []byte) (c openai.ChatCompletionStreamResponse) {
	if err := json.Unmarshal(bytes.TrimPrefix(line, []byte("data: ")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestChunksThatWaitAreReadAsOne counts what the library gets.
func TestChunksThatWaitAreReadAsOne(t *testing.T) {
	stream := strings.Repeat(chunk(`{"content":"word "}`), 1000) + stop + done
	f := &frames{x: &exchange{c: &Client{}, stream: true}, events: newEventReader(strings.NewReader(stream)), raw: &watched{}, cancel: func(error) {}}
	out, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out, []byte("\n")); n > 10 {
		t.Errorf("%d chunks for 1000 that came together", n)
	}
	if n := bytes.Count(out, []byte("word ")); n != 1000 {
		t.Errorf("%d of 1000 pieces", n)
	}
}

// always is a reader that always has a byte, and counts the reads.
type always struct{ reads int }

func (e *always) Read(p []byte) (int, error) { e.reads++; return 1, nil }

// TestALongReplyIsReadAtIntervals: a short one is not.
func TestALongReplyIsReadAtIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		source := &always{}
		p := &paced{r: source, ctx: ctx, pauses: &lull{}}
		buf := make([]byte, 1)
		read := func() time.Duration {
			begin := time.Now()
			if _, err := p.Read(buf); err != nil {
				t.Fatal(err)
			}
			return time.Since(begin)
		}
		for range 9 { // a token each 100 ms
			if waited := read(); waited != 0 {
				t.Fatalf("a short reply waited %v", waited)
			}
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		read()
		for begin := time.Now(); time.Since(begin) < 10*time.Second; {
			if waited := read(); waited < paceTime || waited > slowTime {
				t.Fatalf("waited %v", waited)
			}
		}
		stopped := errors.New("stopped")
		time.AfterFunc(time.Millisecond, func() { cancel(stopped) })
		begin := time.Now()
		if _, err := p.Read(buf); !errors.Is(err, stopped) || time.Since(begin) > 2*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// flood is a reader that always has as much as is asked for.
type flood struct{}

func (flood) Read(p []byte) (int, error) { return len(p), nil }

// TestAFastReplyIsReadAsItComes: no interval holds up who sends faster than that.
func TestAFastReplyIsReadAsItComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paced{r: flood{}, ctx: t.Context(), pauses: &lull{}}
		buf := make([]byte, readBuffer)
		_, _ = p.Read(buf) // a flood has no error
		time.Sleep(slowFrom)
		_, _ = p.Read(buf)
		begin := time.Now()
		for range 100 {
			_, _ = p.Read(buf)
		}
		for range maxCredit / readPrice / 2 { // some that bring little are paid for
			_, _ = p.Read(buf[:1])
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("100 full reads waited %v", waited)
		}
		for range maxCredit / readPrice {
			_, _ = p.Read(buf[:1])
		}
		if waited := time.Since(begin); waited < slowTime {
			t.Errorf("a stream that slowed down is read without intervals: %v", waited)
		}
	})
}
