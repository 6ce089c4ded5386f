package main

import (
	"fmt"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answerBytes is how long the streamed answer is, and tokenBytes how much of it a token
// carries: about what English text has.
const (
	answerBytes = 50 << 10
	tokenBytes  = 4
)

// BenchmarkStreamedAnswer is a long answer of a model as it arrives: the bytes that nod
// sends to its terminal for it, and nod's CPU time from the prompt to the answer's end.
// The program is the one that is released. The chat stands beside an idle pane.
func BenchmarkStreamedAnswer(b *testing.B) {
	program := released(b)
	for _, rate := range []int{250, 1000} {
		b.Run(fmt.Sprintf("tokens/s=%d", rate), func(b *testing.B) { benchmarkStreamedAnswer(b, program, rate) })
	}
}

func benchmarkStreamedAnswer(b *testing.B, program string, rate int) {
	text := longAnswer()
	w := newWorld(b)
	w.extra = append(w.extra, "NOD_BASE_URL="+serveTokens(b, text, rate)+"/v1", "NOD_MODEL=scripted")
	o := startProgram(b, w, program)
	o.shows(b, "ready$")
	settle(o)
	var sent, used float64
	for range b.N {
		o.press(b, "\x0c")
		before, begin := o.bytes.Load(), cpu(b, o.cmd.Process.Pid)
		o.press(b, "tell me everything\r")
		o.shows(b, "nothing running")
		o.shows(b, "the end of it")
		sent += float64(o.bytes.Load() - before)
		used += cpu(b, o.cmd.Process.Pid) - begin
	}
	b.ReportMetric(0, "ns/op") // it would be the server's pace
	b.ReportMetric(sent/float64(b.N)/1000, "KB")
	b.ReportMetric(used/float64(b.N), "cpu-s")
	settle(o)
	o.end(b)
}

// longAnswer is Markdown with paragraphs, lists and code, and some characters that are
// two cells wide.
func longAnswer() string {
	random := rand.New(rand.NewSource(1))
	words := strings.Fields("the disk is full because `journald` keeps **four weeks** of logs in /var/log/journal and nothing rotates them 日本語 until it restarts")
	sentence := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[random.Intn(len(words))] + " ")
		}
		return strings.TrimSpace(b.String()) + "."
	}
	var b strings.Builder
	for i := 1; b.Len() < answerBytes; i++ {
		fmt.Fprintf(&b, "## Part %d\n\n%s\n\n", i, sentence(60))
		for range 4 {
			b.WriteString("- " + sentence(8) + "\n")
		}
		b.WriteString("\n```sh\ndu -xh --max-depth=1 /var | sort -h\njournalctl --vacuum-size=200M\n```\n\n")
	}
	return b.String()[:answerBytes] + "\n\nThis is the end of it\n"
}

// serveTokens is a server on loopback that answers each request with a text, token by
// token at a rate a second, each a chunk and a packet of its own.
func serveTokens(b *testing.B, text string, rate int) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.Error(w, "not here", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(chunk string) {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", chunk) // a client that is gone misses nothing
			w.(http.Flusher).Flush()
		}
		begin, sent := time.Now(), 0
		for rest := text; rest != ""; sent++ {
			time.Sleep(time.Until(begin.Add(time.Duration(sent) * time.Second / time.Duration(rate))))
			n := min(tokenBytes, len(rest))
			for n < len(rest) && rest[n]&0xc0 == 0x80 {
				n++
			}
			send(chunk(map[string]any{"content": rest[:n]}, nil))
			rest = rest[n:]
		}
		send(chunk(map[string]any{}, "stop"))
		send("[DONE]")
	}))
	b.Cleanup(server.Close)
	return server.URL
}
