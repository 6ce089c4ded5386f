// Package split divides a length among neighbours that have borders between them,
// such as the rows of a screen among panes. It knows nothing of a screen.
//
// Shares are in any unit: lengths that neighbours have had serve as their shares
// of another length. Each neighbour has a least length, which it gets as long as
// there is room for all of these.
package split

// Equal are n equal shares.
func Equal(n int) []int {
	shares := make([]int, n)
	for i := range shares {
		shares[i] = 1
	}
	return shares
}

// Least is the same least length for n neighbours.
func Least(n, length int) []int {
	least := make([]int, n)
	for i := range least {
		least[i] = length
	}
	return least
}

// Parts are the lengths of neighbours that have total among them, by their shares,
// which are positive. There are as many least lengths as shares; without room for
// all of them, the shares alone count.
func Parts(total int, shares, least []int) []int {
	all, needed := 0, 0
	for i, s := range shares {
		all += s
		needed += least[i]
	}
	parts := make([]int, len(shares))
	before, from := 0, 0
	for i, s := range shares {
		before += s
		to := total * before / all
		parts[i], from = to-from, to
	}
	if needed > total {
		return parts
	}
	for i := range parts {
		for parts[i] < least[i] {
			rich := richest(parts, least)
			n := min(least[i]-parts[i], parts[rich]-least[rich])
			parts[i] += n
			parts[rich] -= n
		}
	}
	return parts
}

// richest is the part with the most beyond its least length.
func richest(parts, least []int) (best int) {
	for i := range parts {
		if parts[i]-least[i] > parts[best]-least[best] {
			best = i
		}
	}
	return best
}

// Move returns parts after the border behind part i has moved by so much to the
// end, or to the beginning if by is negative, and how far it has moved: only as far
// as the two beside it keep their least lengths.
func Move(parts, least []int, i, by int) (moved []int, moves int) {
	by = min(by, max(parts[i+1]-least[i+1], 0))
	by = max(by, -max(parts[i]-least[i], 0))
	moved = append([]int(nil), parts...)
	moved[i] += by
	moved[i+1] -= by
	return moved, by
}
