package gate

import (
	"encoding/json"
	"testing"
)

// TestWhatMayBeEdited: a command, or the text of keys, and nothing else of the arguments.
func TestWhatMayBeEdited(t *testing.T) {
	for args, want := range map[string]string{
		`{"command":"ls","targets":["a","b"]}`: `{"command":"new","targets":["a","b"]}`,
		`{"literal_text":"y","enter":true}`:    `{"enter":true,"literal_text":"new"}`,
		`{"keys":["C-c"]}`:                     "",
		`{"command":null}`:                     "",
		`{"command":["a"],"literal_text":"y"}`: `{"command":["a"],"literal_text":"new"}`,
		`["command"]`:                          "",
	} {
		name := editedOf(json.RawMessage(args))
		got := []byte(nil)
		if name != "" {
			var err error
			if got, err = with(json.RawMessage(args), name, "new"); err != nil {
				t.Fatal(err)
			}
		}
		if string(got) != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
