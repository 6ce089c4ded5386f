package model

import (
	"encoding/json"
	"slices"
)

// sameCall reports whether two calls would do the same: their names are equal, and their
// arguments mean the same, however they are spelled.
func sameCall(a, b Call) bool {
	return a.Name == b.Name && a.Invalid == b.Invalid && canonical(a) == canonical(b)
}

func canonical(c Call) string {
	var value any
	if c.Invalid != "" || json.Unmarshal(c.Arguments, &value) != nil {
		return c.Raw
	}
	return string(encode(value))
}

func hasCall(calls []Call, c Call) bool {
	return slices.ContainsFunc(calls, func(other Call) bool { return sameCall(other, c) })
}
