package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nod-console/nod/tools"
)

// MaxOutput bounds a kept output, in bytes.
const MaxOutput = 16 << 20

const refPrefix = "output:"

// Outputs keeps the full outputs of one conversation's calls.
type Outputs struct {
	store        *Store
	conversation string
}

var _ tools.Outputs = Outputs{}

// Outputs returns where the calls of a conversation keep what they cut.
func (s *Store) Outputs(conversation string) Outputs { return Outputs{s, conversation} }

// Keep stores text under a call's id and the stream's name. The reference is
// "output:" and a number that counts in the conversation; Read takes it.
func (o Outputs) Keep(ctx context.Context, call, stream, text string) (string, error) {
	cut := max(0, len(text)-MaxOutput)
	text = text[:len(text)-cut]
	var number int64
	err := o.store.change(ctx, o.conversation, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `INSERT INTO outputs (conversation, call, stream, text, cut, created, number)
			VALUES (?, ?, ?, ?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM outputs WHERE conversation = ?)) RETURNING number`,
			o.conversation, call, stream, []byte(text), cut, o.store.now().UnixMilli(), o.conversation).Scan(&number)
	})
	if err != nil {
		return "", err
	}
	return refPrefix + strconv.FormatInt(number, 10), nil
}

// Text returns what Keep was given for a reference of this conversation, or
// ErrNoOutput. Where Keep had to cut, it ends by saying so.
func (o Outputs) Text(ctx context.Context, ref string) (string, error) {
	out, err := o.Read(ctx, ref)
	if err != nil || out.Cut == 0 {
		return out.Text, err
	}
	return fmt.Sprintf("%s\n[%d bytes more were not kept]\n", out.Text, out.Cut), nil
}

// Output is the full output of a call.
type Output struct {
	Call   string
	Stream string
	Text   string
	Cut    int64 // bytes at the end that were beyond MaxOutput
}

// Read returns what a reference of this conversation stands for, or ErrNoOutput.
func (o Outputs) Read(ctx context.Context, ref string) (Output, error) {
	number, ok := strings.CutPrefix(ref, refPrefix)
	id, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return Output{}, fmt.Errorf("%w: %q", ErrNoOutput, ref)
	}
	var out Output
	var text []byte
	err = o.store.at().db.QueryRowContext(ctx, "SELECT call, stream, text, cut FROM outputs WHERE number = ? AND conversation = ?",
		id, o.conversation).Scan(&out.Call, &out.Stream, &text, &out.Cut)
	if errors.Is(err, sql.ErrNoRows) {
		return Output{}, fmt.Errorf("%w: %q", ErrNoOutput, ref)
	}
	out.Text = string(text)
	return out, fault(o.store.at().path, err)
}
