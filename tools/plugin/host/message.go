package host

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// message is any message of the protocol: a call or a question if it has a method and an
// id, a notification if it has a method only, an answer otherwise.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      int64           `json:"id,omitempty"`
	Call    int64           `json:"call,omitempty"` // for which call a question is asked
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// failed is the code of an error in the plugin's code, or of an effect that was not had.
const failed = -32000

// Fault is an error that the other end has answered with: for the parent, what went
// wrong in the plugin's code, with file and line; for the process, why an effect was not
// had.
type Fault struct{ Text string }

// Error implements error.
func (f *Fault) Error() string { return f.Text }

var errTooLong = errors.New("too long a message")

// readMessage reads a line of at most limit bytes.
func readMessage(r *bufio.Reader, limit int) (message, int, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return message{}, 0, errTooLong
		}
		line = append(line, part...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return message{}, 0, err
		}
	}
	var m message
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return m, len(line), fmt.Errorf("%.80q is not a message: %w", line, err)
	}
	return m, len(line), nil
}

func writeMessage(w io.Writer, m message) error {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// answer is the message that answers id.
func answer(id int64, result any, err error) message {
	m := message{ID: id}
	if err == nil {
		if m.Result, err = json.Marshal(result); err == nil {
			return m
		}
	}
	m.Error = &rpcError{failed, err.Error()}
	return m
}
