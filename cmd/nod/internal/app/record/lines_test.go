package record

import (
	"slices"
	"testing"
)

// Columns stand under each other by how wide they are drawn, and one long cell
// moves no other line.
func TestAlignedColumns(t *testing.T) {
	got := aligned([]string{"1\tlocal\tls", "22\tssh:日本\tuptime", "3\tssh:a-very-long-name-of-a-host.example.com\tx\t"})
	want := []string{
		"1   local                           ls",
		"22  ssh:日本                        uptime",
		"3   ssh:a-very-long-name-of-a-host.example.com  x",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
