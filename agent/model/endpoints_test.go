package model

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// callOf is a call in the delta of a stream, with what else stands in it.
func callOf(more, function string) string {
	if more != "" {
		more += ","
	}
	return chunk(`{"tool_calls":[{` + more + `"function":` + function + `}]}`)
}

const (
	lsCall  = `{"name":"run","arguments":"{\"command\":\"ls\"}"}`
	lsWhole = `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":` + lsCall + `}]},"finish_reason":"tool_calls"}]}`
)

// TestEndpointsWithHabits: one call, as servers of many makes send it, over a real
// connection. What is whole runs once; what may not be whole never does.
func TestEndpointsWithHabits(t *testing.T) {
	end := finishChunk(`{}`, `"tool_calls"`)
	usage := `data: {"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}` + "\n\n"
	plain := callOf(`"index":0,"id":"a","type":"function"`, lsCall)
	half := callOf(`"index":0,"id":"a"`, `{"name":"run","arguments":"{\"command\""}`)
	rest := func(more string) string { return callOf(more, `{"arguments":":\"ls\"}"}`) }
	lines := func(s string) string { // one JSON value a line
		return strings.ReplaceAll(strings.ReplaceAll(s, "data: ", ""), "\n\n", "\n")
	}
	const runs, refused, invalid = `run{"command":"ls"}`, "error", "run!"
	for _, c := range []struct {
		name, body string
		want       string
		header     string // Content-Type, text/event-stream unless set
		zipped     bool
		length     bool
	}{
		{name: "plain", body: plain + end + done, want: runs},

		// The frame of the events.
		{name: "usage behind the end", body: plain + end + usage + done, want: runs},
		{name: "usage before the call", body: usage + plain + end, want: runs},
		{name: "usage with null choices", body: plain + end + strings.Replace(usage, "[]", "null", 1) + done, want: runs},
		{name: "CRLF", body: strings.ReplaceAll(plain+end+done, "\n", "\r\n"), want: runs},
		{name: "one line each", body: strings.ReplaceAll(plain+end+done, "\n\n", "\n"), want: runs},
		{name: "no space", body: strings.ReplaceAll(plain+end+done, "data: ", "data:"), want: runs},
		{name: "data twice", body: strings.ReplaceAll(plain+end+done, "data: ", "data: data: "), want: runs},
		{name: "comments", body: ": PROCESSING\n\n:\n\n" + plain + ": ping\n" + end + done, want: runs},
		{name: "named events", body: "event: message\nid: 7\nretry: 10\n" + plain + "event: ping\ndata: {\"type\":\"ping\"}\n\n" + end + done, want: runs},
		{name: "a byte order mark", body: bom + plain + end + done, want: runs},
		{name: "blank lines first", body: "\n\n" + plain + end + done, want: runs},
		{name: "zipped", body: plain + end + done, want: runs, zipped: true},
		{name: "no end mark", body: plain + end, want: runs},
		{name: "a charset without a value", body: plain + end + done, header: "text/event-stream; charset", want: runs},
		{name: "octets", body: plain + end + done, header: "application/octet-stream", want: runs},
		{name: "JSON lines", body: lines(plain + end + done), header: "application/x-ndjson", want: runs},
		{name: "JSON lines as JSON", body: lines(plain + end), header: "application/json", want: runs},
		{name: "one document", body: lsWhole, header: "application/json", want: runs, length: true},
		{name: "one document with a mark and blanks", body: bom + "\r\n " + lsWhole + "\n", header: "application/json; charset=utf-8", want: runs},
		{name: "one document as a stream", body: lsWhole, want: runs},
		{name: "one document as an event", body: "data: " + lsWhole + "\n\n" + done, want: runs},

		// The chunk around a call.
		{name: "times and ids of other types", body: strings.ReplaceAll(strings.ReplaceAll(plain+end, `"created":1`, `"created":1.5`), `"id":"x"`, `"id":17`) + done, want: runs},
		{name: "another index", body: strings.Replace(plain, `"choices":[{"index":0`, `"choices":[{"index":1`, 1) + end, want: runs},
		{name: "an index as text", body: strings.Replace(plain, `"choices":[{"index":0`, `"choices":[{"index":"0"`, 1) + end, want: runs},
		{name: "no index of the choice", body: strings.ReplaceAll(plain+end, `"index":0,"delta"`, `"delta"`), want: runs},
		{name: "one choice by itself", body: strings.NewReplacer(`"choices":[`, `"choices":`, `}]}`+"\n\n", `}}`+"\n\n").Replace(end) + plain + end + done, want: runs},
		{name: "an empty error", body: strings.ReplaceAll(plain+end, `"object":`, `"error":{"code":0,"message":""},"object":`), want: runs},
		{name: "null for all else", body: chunk(`{"role":"assistant","content":null,"tool_calls":null,"function_call":null,"refusal":null,"reasoning_content":null}`) + plain + end, want: runs},
		{name: "types that are wrong", body: chunk(`{"role":7,"refusal":{},"reasoning_content":[],"audio":1}`) + plain + end, want: runs},
		{name: "a delta that is null", body: chunk(`null`) + plain + chunk(`[]`) + end, want: runs},
		{name: "content with the call", body: chunk(`{"content":"","tool_calls":[{"index":0,"id":"a","function":`+lsCall+`}]}`) + end, want: runs},
		{name: "white space behind the call", body: plain + chunk(`{"content":"\n"}`) + end, want: runs},

		// How it ends.
		{name: "stop", body: plain + stop + done, want: runs},
		{name: "STOP", body: plain + finishChunk(`{}`, `"STOP"`), want: runs},
		{name: "end_turn", body: plain + finishChunk(`{}`, `"end_turn"`), want: runs},
		{name: "tool_use", body: plain + finishChunk(`{}`, `"tool_use"`), want: runs},
		{name: "eos", body: plain + finishChunk(`{}`, `"eos"`), want: runs},
		{name: "function_call as the end", body: plain + finishChunk(`{}`, `"function_call"`), want: runs},
		{name: "an end without a delta", body: plain + strings.Replace(end, `"delta":{},`, "", 1), want: runs},
		{name: "the end twice", body: plain + end + end + done, want: runs},
		{name: "the end with every chunk", body: strings.ReplaceAll(plain, `"finish_reason":null`, `"finish_reason":"stop"`) + done, want: runs},
		{name: "an empty end, then none", body: strings.ReplaceAll(plain, `"finish_reason":null`, `"finish_reason":""`) + done, want: refused},
		{name: "no end", body: plain + done, want: refused},
		{name: "an error in the middle", body: plain + `data: {"error":{"message":"overloaded"}}` + "\n\n", want: refused},
		{name: "an error event", body: plain + "event: error\ndata: {\"message\":\"overloaded\"}\n\n", want: refused},
		{name: "cut in the middle of a chunk", body: plain + end[:len(end)/2], want: refused},
		{name: "half a document", body: lsWhole[:len(lsWhole)-1], header: "application/json", want: refused},
		{name: "the token limit", body: plain + finishChunk(`{}`, `"length"`), want: invalid},
		{name: "the token limit by Google's name", body: plain + finishChunk(`{}`, `"MAX_TOKENS"`), want: invalid},
		{name: "the token limit by Mistral's name", body: plain + finishChunk(`{}`, `"model_length"`), want: invalid},
		{name: "aborted", body: plain + finishChunk(`{}`, `"abort"`), want: invalid},
		{name: "a filter", body: plain + finishChunk(`{}`, `"SAFETY"`), want: invalid},

		// The call itself.
		{name: "no id", body: callOf(`"index":0`, lsCall) + end, want: runs},
		{name: "a null id", body: callOf(`"index":0,"id":null,"type":null`, lsCall) + end, want: runs},
		{name: "an id that is a number", body: callOf(`"index":0,"id":12345`, lsCall) + end, want: runs},
		{name: "a type that is a number", body: callOf(`"index":0,"id":"a","type":1`, lsCall) + end, want: runs},
		{name: "no index", body: callOf(`"id":"a"`, lsCall) + end, want: runs},
		{name: "a null index", body: callOf(`"index":null,"id":"a"`, lsCall) + end, want: runs},
		{name: "an index with a fraction", body: callOf(`"index":0.0,"id":"a"`, lsCall) + end, want: runs},
		{name: "an index that is a text", body: callOf(`"index":"0","id":"a"`, lsCall) + end, want: runs},
		{name: "an index from one", body: callOf(`"index":1,"id":"a"`, lsCall) + end, want: runs},
		{name: "id in the first piece only", body: half + rest(`"index":0`) + end, want: runs},
		{name: "id in each piece", body: half + rest(`"index":0,"id":"a"`) + end, want: runs},
		{name: "id in each piece and no index", body: strings.Replace(half, `"index":0,"id"`, `"id"`, 1) + rest(`"id":"a"`) + end, want: runs},
		{name: "neither id nor index in later pieces", body: half + rest("") + end, want: runs},
		{name: "another id in each piece", body: half + rest(`"index":0,"id":"b"`) + end, want: runs},
		{name: "empty names and ids in later pieces", body: half + callOf(`"index":0,"id":"","type":"function"`, `{"name":"","arguments":":\"ls\"}"}`) + end, want: runs},
		{name: "null names in later pieces", body: half + callOf(`"index":0,"id":null`, `{"name":null,"arguments":":\"ls\"}"}`) + end, want: runs},
		{name: "a piece without a function", body: callOf(`"index":0,"id":"a"`, `null`) + callOf(`"index":0`, lsCall) + end, want: runs},
		{name: "the name late", body: callOf(`"index":0,"id":"a"`, `{"name":"","arguments":""}`) + callOf(`"index":0`, lsCall) + end, want: runs},
		{name: "all arguments once more", body: plain + callOf(`"index":0`, `{"arguments":"{\"command\":\"ls\"}"}`) + end, want: runs},
		{name: "all of it once more", body: plain + plain + end, want: runs},
		{name: "one call by itself", body: chunk(`{"tool_calls":{"index":0,"id":"a","function":`+lsCall+`}}`) + end, want: runs},
		{name: "calls as a text", body: chunk(`{"tool_calls":`+strconv.Quote(`[{"id":"a","function":`+lsCall+`}]`)+`}`) + end, want: runs},
		{name: "null among the calls", body: chunk(`{"tool_calls":[null,{"index":0,"id":"a","function":`+lsCall+`}]}`) + end, want: runs},
		{name: "no calls", body: plain + chunk(`{"tool_calls":[]}`) + chunk(`{"tool_calls":""}`) + end, want: runs},
		{name: "function_call", body: chunk(`{"function_call":`+lsCall+`}`) + finishChunk(`{}`, `"function_call"`), want: runs},
		{name: "a function that is a name", body: chunk(`{"tool_calls":[{"id":"a","function":"run","arguments":"{\"command\":\"ls\"}"}]}`) + end, want: runs},
		{name: "no function around it", body: chunk(`{"tool_calls":[{"id":"a","name":"run","input":{"command":"ls"}}]}`) + end, want: runs},
		{name: "blanks around the name", body: callOf(`"index":0,"id":"a"`, `{"name":" run\n","arguments":"{\"command\":\"ls\"}"}`) + end, want: runs},
		{name: "a token behind the name", body: callOf(`"index":0,"id":"a"`, `{"name":"run<|channel|>commentary","arguments":"{\"command\":\"ls\"}"}`) + end, want: runs},
		{name: "a name that is a number", body: callOf(`"index":0,"id":"a"`, `{"name":5,"arguments":"{}"}`) + end, want: "!"},

		// The arguments.
		{name: "an object", body: callOf(`"index":0,"id":"a"`, `{"name":"run","arguments":{"command":"ls"}}`) + end, want: runs},
		{name: "parameters", body: callOf(`"index":0,"id":"a"`, `{"name":"run","parameters":{"command":"ls"}}`) + end, want: runs},
		{name: "in a fence", body: callOf(`"index":0,"id":"a"`, "{\"name\":\"run\",\"arguments\":\"```json\\n{\\\"command\\\":\\\"ls\\\"}\\n```\"}") + end, want: runs},
		{name: "doubly encoded", body: callOf(`"index":0,"id":"a"`, `{"name":"run","arguments":`+strconv.Quote(strconv.Quote(`{"command":"ls"}`))+`}`) + end, want: runs},
		{name: "a list with one object", body: callOf(`"index":0,"id":"a"`, `{"name":"run","arguments":[{"command":"ls"}]}`) + end, want: runs},
		{name: "a list with two", body: callOf(`"index":0,"id":"a"`, `{"name":"run","arguments":[{"command":"ls"},{"command":"rm"}]}`) + end, want: invalid},
		{name: "a number", body: callOf(`"index":0,"id":"a"`, `{"name":"run","arguments":7}`) + end, want: invalid},
		{name: "words", body: callOf(`"index":0,"id":"a"`, `{"name":"run","arguments":"ls"}`) + end, want: invalid},
		{name: "half of them", body: half + end, want: invalid},
		{name: "something behind them", body: callOf(`"index":0,"id":"a"`, `{"name":"run","arguments":"{\"command\":\"ls\"} or not"}`) + end, want: invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				kind := c.header
				if kind == "" {
					kind = "text/event-stream"
				}
				w.Header().Set("Content-Type", kind)
				if c.length {
					w.Header().Set("Content-Length", strconv.Itoa(len(c.body)))
				}
				if !c.zipped {
					write(w, c.body)
					return
				}
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				_, _ = io.WriteString(z, c.body)
				_ = z.Close()
			})
			r := ask("go")
			r.Tools = []ToolSpec{runTool}
			reply, err := dial(t, s, func(c *Config) { c.Tries = 1 }).Stream(testContext(t), r, nil)
			got := "error"
			if err == nil {
				got = ""
				for _, call := range reply.Message.Calls {
					if call.Invalid != "" {
						got += call.Name + "!"
					} else {
						got += fmt.Sprintf("%s%s", call.Name, call.Arguments)
					}
				}
			}
			if got != c.want || err != nil && len(reply.Message.Calls) > 0 {
				t.Errorf("%s, want %s (%v)", got, c.want, err)
			}
			for _, call := range reply.Message.Calls {
				goText(t, call.Invalid)
			}
		})
	}
}

// goText fails if a text that a model reads has the words of Go's libraries in it.
func goText(t *testing.T, said string) {
	t.Helper()
	for _, words := range []string{"json:", "unmarshal", "Go value", "Go struct", "strconv", "invalid character", "unexpected end", "*errors", "%!", "EOF"} {
		if strings.Contains(said, words) {
			t.Errorf("the model reads %q", said)
		}
	}
}

// TestRefusalsOfTools: in whose words a server refuses tools makes no difference; what it
// says of one tool's schema is another matter.
func TestRefusalsOfTools(t *testing.T) {
	for said, refused := range map[string]bool{
		`{"error":"registry.ollama.ai/library/gemma2:latest does not support tools"}`:                                        true,
		`{"error":{"message":"Function calling is not supported with this model","code":400}}`:                               true,
		`{"error":{"message":"Tool calling is not enabled for this model"}}`:                                                 true,
		`{"error":{"message":"Unrecognized request argument supplied: tools"}}`:                                              true,
		`{"error":{"message":"unknown field \"tools\""}}`:                                                                    true,
		`{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]}`:              true,
		`{"detail":[{"type":"missing","loc":["body","tools",0,"function","name"],"msg":"Field required"}]}`:                  false,
		`{"error":{"message":"Invalid schema for function 'run': tools may not have two arguments of one name"}}`:            false,
		`{"error":{"message":"messages with role 'tool' must be a response to a preceding message with 'tool_calls'"}}`:      false,
		`{"error":{"message":"This model's maximum context length is 4096 tokens; the functions take 5000 of the request"}}`: false,
	} {
		s := serve(t, fails(http.StatusBadRequest, said))
		r := ask("go")
		r.Tools = []ToolSpec{runTool}
		_, err := dial(t, s, func(c *Config) { c.ToolProtocol = ProtocolNative }).Stream(testContext(t), r, nil)
		if (kindOf(err) == NoTools) != refused {
			t.Errorf("%s: %v", said, err)
		}
	}
}
