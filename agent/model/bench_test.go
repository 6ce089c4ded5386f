package model

import (
	"context"
	"strings"
	"testing"
)

// BenchmarkStream is a reply of 10,000 pieces, without the network.
func BenchmarkStream(b *testing.B) {
	reply := strings.Repeat(chunk(`{"content":"word "}`), 10000) + stop + done
	c, err := New(Config{BaseURL: "http://model.invalid/v1", Model: "m", Transport: body(reply)})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(reply)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Stream(context.Background(), ask("x"), nil); err != nil {
			b.Fatal(err)
		}
	}
}
