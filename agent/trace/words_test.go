package trace

import (
	"encoding/json"
	"testing"
)

func TestWordsOfALine(t *testing.T) {
	for value, want := range map[string][3]string{
		`{"Messages":[{"Role":"system","Content":"s"},{"Role":"user","Content":"how full?"}],"Tools":[{}]}`: {"request", "2 messages, 1 tools · ", "user: how full?"},
		`{"Message":{"Content":"hm","Calls":[{"Name":"x"}]},"Usage":{"Prompt":7,"Completion":3}}`:           {"reply", "7 + 3 tokens, 1 calls · ", "hm"},
		`{"Error":"no answer"}`:                     {"reply", "failed: no answer", ""},
		`{"Name":"run_shell","Arguments":"{}"}`:     {"call", "run_shell ", "{}"},
		`{"Tool":"run_shell","Content":"12% used"}`: {"result", "run_shell → ", "12% used"},
		`"the head of what was too lo`:              {"reply", "", `"the head of what was too lo`},
	} {
		if about, text := (Line{Kind: want[0], Value: json.RawMessage(value)}).Words(); about != want[1] || text != want[2] {
			t.Errorf("%s: %q, %q", value, about, text)
		}
	}
}
