package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
)

// A key in the keyring is got when something is searched for, not when it is planned; where
// it cannot be had, nothing is searched for elsewhere.
func TestTheKeyOfTheKeyring(t *testing.T) {
	asked := 0
	s := &WebSearch{Ring: func(context.Context) (string, error) {
		asked++
		return "", errors.New("the keyring is locked")
	}}
	a, err := s.Plan(t.Context(), json.RawMessage(`{"query":"nod"}`), tools.Env{})
	if err != nil || !strings.HasPrefix(a.Command, brave) || asked != 0 {
		t.Fatalf("%+v, %v, asked %d times", a, err, asked)
	}
	r, err := s.Execute(t.Context(), a, tools.Env{})
	if err != nil || !r.IsError || !strings.Contains(fmt.Sprint(r.Value), "the keyring is locked") || asked != 1 {
		t.Errorf("%+v, %v, asked %d times", r, err, asked)
	}
}
