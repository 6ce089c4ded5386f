package model

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// body is a transport inside the process that answers every request with one stream.
type body string

func (b body) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
		Body:   io.NopCloser(strings.NewReader(string(b)))}, nil
}

func stream(t testing.TB, b string, r Request, sink func(Delta)) (Reply, error) {
	t.Helper()
	c, err := New(Config{BaseURL: "http://model.invalid/v1", Model: "m", Transport: body(b), Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c.Stream(context.Background(), r, sink)
}

// TestCutAtEveryByte cuts a reply with three calls at every offset: until the whole
// finish_reason is there, no call comes out, and the error says that the reply was cut.
func TestCutAtEveryByte(t *testing.T) {
	piece := func(index int, id, name, args string) string { return callChunk(index, id, name, args) }
	whole := hi +
		piece(0, "call_1", "run_shell", `{"command":"rm -rf /tmp/x`) + piece(0, "", "", `/cache","risk":"high"}`) +
		piece(1, "call_2", "run_shell", `{}`) +
		piece(2, "call_3", "read_file", `{"path":"/etc/hosts"`) + piece(2, "", "", `}`)
	finish := finishChunk(`{}`, `"tool_calls"`)
	end := len(whole) + strings.Index(finish, "\n") + 1
	whole += finish + done
	for cut := range len(whole) + 1 {
		reply, err := stream(t, whole[:cut], ask("x"), nil)
		if cut < end {
			if len(reply.Message.Calls) != 0 || kindOf(err) != Truncated {
				t.Fatalf("cut at %d of %d: %d calls, error %v", cut, len(whole), len(reply.Message.Calls), err)
			}
			continue
		}
		if err != nil || len(reply.Message.Calls) != 3 {
			t.Fatalf("cut at %d of %d, after the finish: %d calls, error %v", cut, len(whole), len(reply.Message.Calls), err)
		}
	}
}

// TestCalls puts calls together from the pieces that different servers send.
func TestCalls(t *testing.T) {
	tc := func(calls string) string { return chunk(`{"tool_calls":[` + calls + `]}`) }
	fn := func(name, args string) string {
		return fmt.Sprintf(`"type":"function","function":{"name":%q,"arguments":%q}`, name, args)
	}
	end := finishChunk(`{}`, `"tool_calls"`)
	for _, c := range []struct {
		name   string
		stream string
		want   string // name(arguments) or name!, joined by spaces
	}{
		{"by index, interleaved", tc(`{"index":0,"id":"a",`+fn("f", "")+`},{"index":1,"id":"b",`+fn("g", "")+`}`) +
			tc(`{"index":1,`+fn("", `{"x":`)+`}`) + tc(`{"index":0,`+fn("", `{"y":`)+`}`) +
			tc(`{"index":1,`+fn("", `1}`)+`},{"index":0,`+fn("", `2}`)+`}`) + end, `f({"y":2}) g({"x":1})`},
		{"no index, ids", tc(`{"id":"a",`+fn("f", `{"x":1}`)+`}`) + tc(`{"id":"b",`+fn("g", `{"x":`)+`}`) + tc(`{`+fn("", `2}`)+`}`) + end,
			`f({"x":1}) g({"x":2})`},
		{"no index, no ids", tc(`{`+fn("f", `{"x":1}`)+`},{`+fn("f", `{"x":1}`)+`}`) + end, `f({"x":1}) f({"x":1})`},
		{"no index, id repeated with every piece", tc(`{"id":"a",`+fn("f", `{"x"`)+`}`) + tc(`{"id":"a",`+fn("f", `:1}`)+`}`) + end, `f({"x":1})`},
		{"index, id and name repeated with every piece", tc(`{"index":0,"id":"a",`+fn("f", `{"x"`)+`}`) + tc(`{"index":0,"id":"a",`+fn("f", `:1}`)+`}`) + end, `f({"x":1})`},
		{"index, a new id with every piece", tc(`{"index":0,"id":"a",`+fn("f", `{"x"`)+`}`) + tc(`{"index":0,"id":"b",`+fn("", `:1}`)+`}`) + end, `f({"x":1})`},
		{"always index 0, different ids", tc(`{"index":0,"id":"a",`+fn("f", `{"x":1}`)+`}`) + tc(`{"index":0,"id":"b",`+fn("g", `{"x":2}`)+`}`) + end, `f({"x":1}) g({"x":2})`},
		{"always index 0, no ids", tc(`{"index":0,"id":"",`+fn("f", `{"x":1}`)+`}`) + tc(`{"index":0,"id":"",`+fn("f", `{"x":2}`)+`}`) + end, `f({"x":1}) f({"x":2})`},
		{"same id for two calls", tc(`{"index":0,"id":"a",`+fn("f", `{"x":1}`)+`},{"index":1,"id":"a",`+fn("g", `{"x":2}`)+`}`) + end, `f({"x":1}) g({"x":2})`},
		{"name late", tc(`{"index":0,"id":"a",`+fn("", ``)+`}`) + tc(`{"index":0,`+fn("f", `{}`)+`}`) + end, `f({})`},
		{"name in parts", tc(`{"index":0,"id":"a",`+fn("run_", ``)+`}`) + tc(`{"index":0,`+fn("shell", ``)+`}`) + tc(`{"index":0,`+fn("", `{}`)+`}`) + end, `run_shell({})`},
		{"arguments as an object", tc(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":{"x":{"y":"z"}}}}`) + end, `f({"x":{"y":"z"}})`},
		{"no arguments", tc(`{"index":0,"id":"a",`+fn("f", ``)+`}`) + end, `f({})`},
		{"finish_reason stop", tc(`{"index":0,"id":"a",`+fn("f", `{}`)+`}`) + stop, `f({})`},
		{"finish_reason with the call", finishChunk(`{"tool_calls":[{"index":0,"id":"a",`+fn("f", `{}`)+`}]}`, `"tool_calls"`), `f({})`},
		{"call after finish_reason, with done", tc(`{"index":0,"id":"a",`+fn("f", `{}`)+`}`) + end + tc(`{"index":1,"id":"b",`+fn("g", `{}`)+`}`) + done, `f({}) g({})`},
		{"bad arguments beside good ones", tc(`{"index":0,"id":"a",`+fn("f", `{"x":`)+`},{"index":1,"id":"b",`+fn("g", `{}`)+`}`) + end, `f! g({})`},
		{"arguments that are a list", tc(`{"index":0,"id":"a",`+fn("f", `[1]`)+`}`) + end, `f!`},
		{"arguments that are null", tc(`{"index":0,"id":"a",`+fn("f", `null`)+`}`) + end, `f!`},
		{"arguments twice", tc(`{"index":0,"id":"a",`+fn("f", `{}{}`)+`}`) + end, `f!`},
		{"no name", tc(`{"index":0,"id":"a",`+fn("", `{}`)+`}`) + end, `!`},
		{"token limit", tc(`{"index":0,"id":"a",`+fn("f", ``)+`}`) + finishChunk(`{}`, `"length"`), `f!`},
		{"content filter", tc(`{"index":0,"id":"a",`+fn("f", `{}`)+`}`) + finishChunk(`{}`, `"content_filter"`), `f!`},
		{"pretty-printed event", "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\"," + fn("f", "{}") + "}]},\ndata: \"finish_reason\":\"stop\"}]}\n\n", `f({})`},
		{"crlf, no blank lines", strings.ReplaceAll(tc(`{"index":0,"id":"a",`+fn("f", `{}`)+`}`)+end, "\n\n", "\r\n"), `f({})`},
		{"the only choice has another index", strings.Replace(tc(`{"index":0,"id":"a",`+fn("f", `{}`)+`}`), `"index":0`, `"index":1`, 1) + stop, `f({})`},
		{"another choice is not ours", tc(`{"index":0,"id":"a",`+fn("f", `{}`)+`}`) + strings.Replace(tc(`{"index":1,"id":"b",`+fn("g", `{}`)+`}`), `"index":0`, `"index":1`, 1) + stop, `f({})`},
		{"the same call twice", tc(`{"index":0,"id":"a",`+fn("f", `{"x":1,"y":2}`)+`}`) + tc(`{"index":0,"id":"a",`+fn("f", `{"y": 2, "x": 1}`)+`}`) + end, `f({"x":1,"y":2})`},
		{"one id for two calls", tc(`{"index":0,"id":"a",`+fn("f", `{"x":1}`)+`},{"index":1,"id":"a",`+fn("f", `{"x":2}`)+`}`) + end, `f({"x":1}) f({"x":2})`},
		{"ids and indices of the wrong type", tc(`{"index":"0","id":7,`+fn("f", `{}`)+`}`) + end, `f({})`},
		{"times and counts of the wrong type", `data: {"id":3,"created":1.5,"system_fingerprint":{},"choices":[{"index":"0","logprobs":7,"delta":{"tool_calls":[{"index":0,"id":"a",` + fn("f", "{}") + `}]},"finish_reason":null}],"usage":{"total_tokens":1.0,"prompt_tokens":"1"}}` + "\n\n" + end, `f({})`},
		{"a call without its frame", tc(`{"index":0,"id":"a","name":"f","parameters":{"x":1}}`) + end, `f({"x":1})`},
		{"calls that are one", chunk(`{"tool_calls":{"index":0,"id":"a",`+fn("f", `{}`)+`}}`) + end, `f({})`},
		{"fenced arguments", tc(`{"index":0,"id":"a",`+fn("f", "```json\n{\"x\":1}\n```")+`}`) + end, `f({"x":1})`},
		{"fenced arguments in a line", tc(`{"index":0,"id":"a",`+fn("f", "```{\"x\":1}```")+`}`) + end, `f({"x":1})`},
		{"doubly encoded arguments", tc(`{"index":0,"id":"a",`+fn("f", `"{\"x\":1}"`)+`}`) + end, `f({"x":1})`},
		{"an empty object before the arguments", tc(`{"index":0,"id":"a",`+fn("f", `{}`)+`}`) + tc(`{"index":0,`+fn("", `{"x":1}`)+`}`) + end, `f({"x":1})`},
		{"words around the arguments", tc(`{"index":0,"id":"a",`+fn("f", `Here: {"x":1}`)+`}`) + end, `f!`},
		{"an open fence", tc(`{"index":0,"id":"a",`+fn("f", "```json\n{\"x\":1}")+`}`) + end, `f!`},
		{"a string that is no object", tc(`{"index":0,"id":"a",`+fn("f", `"ls"`)+`}`) + end, `f!`},
		{"a function_call", chunk(`{"function_call":{"name":"f","arguments":""}}`) + chunk(`{"function_call":{"arguments":"{\"x\""}}`) + chunk(`{"function_call":{"arguments":":1}"}}`) + finishChunk(`{}`, `"function_call"`), `f({"x":1})`},
	} {
		t.Run(c.name, func(t *testing.T) {
			shown := map[int]string{}
			reply, err := stream(t, c.stream, ask("x"), func(d Delta) {
				if d.Call != nil {
					shown[d.Call.Index] += d.Call.Arguments
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			ids := map[string]bool{}
			for i, call := range reply.Message.Calls {
				if (call.Invalid == "") != (call.Arguments != nil) {
					t.Errorf("call %d is neither sound nor invalid: %+v", i, call)
				}
				if call.ID == "" || ids[call.ID] {
					t.Errorf("call %d has the id %q, empty or a second time", i, call.ID)
				}
				ids[call.ID] = true
				if shown[i] != call.Raw {
					t.Errorf("call %d was shown as %q and is %q", i, shown[i], call.Raw)
				}
				if call.Invalid != "" {
					got = append(got, call.Name+"!")
				} else {
					got = append(got, call.Name+"("+string(call.Arguments)+")")
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCallIDsDifferFromTheConversations(t *testing.T) {
	r := ask("x")
	r.Messages = append(r.Messages,
		Message{Role: Assistant, Calls: []Call{{ID: "call_0", Name: "f", Arguments: []byte("{}")}}},
		Message{Role: ToolRole, CallID: "call_0", Name: "f", Content: "ok"})
	reply, err := stream(t, callChunk(0, "call_0", "f", "{}")+callChunk(1, "bad id\n", "f", "{}")+stop, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range reply.Message.Calls {
		if call.ID == "call_0" || !usableID(call.ID) {
			t.Errorf("id %q", call.ID)
		}
	}
}

// TestExtraComesBack: what a server attaches to a call goes back with it, and only with it.
func TestExtraComesBack(t *testing.T) {
	signed := chunk(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"},` +
		`"extra_content":{"google":{"thought_signature":"abc=="}}},{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}`)
	reply, err := stream(t, signed+stop, ask("x"), nil)
	if err != nil || len(reply.Message.Calls) != 2 || reply.Message.Calls[1].Extra != nil {
		t.Fatalf("%+v, %v", reply, err)
	}
	s := serve(t, sends(hi, stop, done))
	r := ask("x")
	r.Messages = append(r.Messages, reply.Message, Message{Role: ToolRole, CallID: "a", Content: "1"}, Message{Role: ToolRole, CallID: "b", Content: "2"})
	if _, err := dial(t, s).Stream(testContext(t), r, nil); err != nil {
		t.Fatal(err)
	}
	sent := <-s.bodies
	if strings.Count(sent, "extra_content") != 1 || !strings.Contains(sent, `"extra_content":{"google":{"thought_signature":"abc=="}}`) ||
		!strings.Contains(sent, `"model":"m"`) {
		t.Errorf("sent %s", sent)
	}
}

// TestCallAfterFinishNeedsTheEnd: a call that comes after a finish_reason could be cut
// without anybody noticing.
func TestCallAfterFinishNeedsTheEnd(t *testing.T) {
	reply, err := stream(t, hi+stop+callChunk(0, "a", "f", ""), ask("x"), nil)
	if kindOf(err) != Truncated || len(reply.Message.Calls) != 0 {
		t.Errorf("%d calls, error %v", len(reply.Message.Calls), err)
	}
}

func TestReasoningFields(t *testing.T) {
	for name, b := range map[string]string{
		"reasoning_content": chunk(`{"reasoning_content":"hm"}`) + chunk(`{"content":"yes"}`),
		"reasoning":         chunk(`{"reasoning":"hm","content":""}`) + chunk(`{"content":"yes","reasoning":null}`),
		"parts": chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`) +
			chunk(`{"content":[{"type":"text","text":"yes"}]}`),
		"think block":      chunk(`{"content":"<thi"}`) + chunk(`{"content":"nk>hm</think>\n\nyes"}`),
		"closing tag only": chunk(`{"content":"hm\n</think>\n\nyes"}`),
	} {
		reply, err := stream(t, b+stop, ask("x"), nil)
		if err != nil || reply.Message.Content != "yes" || strings.TrimSpace(reply.Message.Reasoning) != "hm" {
			t.Errorf("%s: text %q, reasoning %q, error %v", name, reply.Message.Content, reply.Message.Reasoning, err)
		}
	}
}

func TestUsage(t *testing.T) {
	var seen []Usage
	reply, err := stream(t, hi+stop+`data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,`+
		`"completion_tokens_details":{"reasoning_tokens":2},"prompt_tokens_details":{"cached_tokens":8}}}`+"\n\n"+done,
		ask("x"), func(d Delta) {
			if d.Usage != nil {
				seen = append(seen, *d.Usage)
			}
		})
	want := Usage{Prompt: 10, Completion: 5, Total: 15, Reasoning: 2, Cached: 8}
	if err != nil || reply.Usage != want || len(seen) != 1 || seen[0] != want {
		t.Errorf("usage %+v, seen %+v, error %v", reply.Usage, seen, err)
	}
}

// FuzzEvents feeds the reader anything: it never fails in another way than by an error,
// and how the bytes were cut makes no difference.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(hi + stop + done))
	f.Add([]byte(": ping\r\n\r\nevent: error\r\ndata: {\"a\":1}\r\n\r\n"))
	f.Add([]byte("\xef\xbb\xbfdata: {\ndata: }\n\ndata:[DONE]\n"))
	f.Add([]byte("data\ndata:\n\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		all := readEvents(newEventReader(bytes.NewReader(in)))
		bit := readEvents(newEventReader(oneByte{bytes.NewReader(in)}))
		if diff := cmp.Diff(all, bit); diff != "" {
			t.Fatal(diff)
		}
	})
}

type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }

func readEvents(r *eventReader) []string {
	var list []string
	for {
		ev, err := r.next()
		if err != nil {
			return append(list, err.Error())
		}
		list = append(list, ev.name+"|"+string(ev.data))
	}
}

// FuzzReply feeds the whole client anything: a reply never has a call with arguments that
// are not an object.
func FuzzReply(f *testing.F) {
	f.Add(hi + cutCall + stop + done)
	f.Add(chunk(`{"content":[{"type":"text","text":"yes"}],"reasoning":"x"}`) + stop)
	f.Add(callChunk(0, "a", "f", `{"x":1}`) + stop)
	f.Add(`data: {"error":[]}` + "\n")
	f.Fuzz(func(t *testing.T, in string) {
		reply, err := stream(t, in, ask("x"), nil)
		for _, call := range reply.Message.Calls {
			if err != nil || call.Invalid == "" && !isObject(call.Arguments) {
				t.Fatalf("call %+v, error %v", call, err)
			}
		}
	})
}
