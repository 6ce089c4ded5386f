package split_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nod-console/nod/ui/split"
)

func TestParts(t *testing.T) {
	for _, c := range []struct {
		total         int
		shares, least []int
		want          []int
	}{
		{100, []int{1, 1, 1}, []int{0, 0, 0}, []int{33, 33, 34}},
		{100, []int{30, 70}, []int{20, 20}, []int{30, 70}},
		{50, []int{30, 70}, []int{20, 20}, []int{20, 30}},
		{60, []int{1, 1, 98}, []int{10, 10, 10}, []int{10, 10, 40}},
		{10, []int{1, 4}, []int{20, 20}, []int{2, 8}}, // no room for what each needs
	} {
		if got := split.Parts(c.total, c.shares, c.least); !slices.Equal(got, c.want) {
			t.Errorf("%d by %v, at least %v: %v, want %v", c.total, c.shares, c.least, got, c.want)
		}
	}
}

func TestABorderStopsAtTheLeastLength(t *testing.T) {
	for _, c := range []struct {
		border, by, moves int
		want              []int
	}{
		{0, 4, 4, []int{24, 16, 30}},
		{0, 40, 8, []int{28, 12, 30}},
		{1, -40, -8, []int{20, 12, 38}},
		{0, -40, -8, []int{12, 28, 30}},
	} {
		got, moves := split.Move([]int{20, 20, 30}, split.Least(3, 12), c.border, c.by)
		if !slices.Equal(got, c.want) || moves != c.moves {
			t.Errorf("border %d by %d: %v by %d, want %v by %d", c.border, c.by, got, moves, c.want, c.moves)
		}
	}
	// One that is too short already is not made shorter.
	if got, moves := split.Move([]int{5, 5}, split.Least(2, 12), 0, -2); moves != 0 || !slices.Equal(got, []int{5, 5}) {
		t.Errorf("%v by %d", got, moves)
	}
}

// Whatever is moved at whatever length, nothing is lost and each keeps its least.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "neighbours")
		least := split.Least(n, rapid.IntRange(0, 12).Draw(t, "least"))
		shares := split.Equal(n)
		for range rapid.IntRange(1, 8).Draw(t, "moves") {
			total := rapid.IntRange(0, 300).Draw(t, "total")
			parts := split.Parts(total, shares, least)
			sum := 0
			for i, p := range parts {
				sum += p
				if p < least[i] && n*least[i] <= total || p < 0 {
					t.Fatalf("%d of %d: %v", i, total, parts)
				}
			}
			if sum != total {
				t.Fatalf("%v are not %d", parts, total)
			}
			if n > 1 && total >= n*max(least[0], 1) && slices.Min(parts) > 0 {
				border, by := rapid.IntRange(0, n-2).Draw(t, "border"), rapid.IntRange(-20, 20).Draw(t, "by")
				moved, _ := split.Move(parts, least, border, by)
				if again := split.Parts(total, moved, least); slices.Min(moved) > 0 && !slices.Equal(again, moved) {
					t.Fatalf("%v is %v as shares", moved, again)
				}
				if slices.Min(moved) > 0 {
					shares = moved
				}
			}
		}
	})
}
