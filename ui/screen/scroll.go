package screen

// shift is a movement of rows: those from top up to bottom, which is not one of them,
// move up by n rows, or down if n is negative.
type shift struct{ top, bottom, n int }

const (
	// pieceWidth is the width in cells of what is looked for in the last frame. Rows hold
	// several parts of the screen side by side, of which one may have moved.
	pieceWidth = 12
	// fewest is the number of pieces that have to have moved together.
	fewest = 3
	// scrollCost is what a movement itself takes, in bytes, and runCost what a run of
	// cells takes beside its text: a step there, and colours.
	scrollCost = 24
	runCost    = 10
)

// findShift looks for a movement that makes last more like next. It is none if drawing
// what differs takes about as little.
func findShift(next, last []cell, width int) shift {
	height := len(next) / max(width, 1)
	if height < 4 {
		return shift{}
	}
	type place struct {
		column int
		hash   uint64
	}
	seen := map[place]int{} // the row of last where a piece stands; -1: in several
	votes := map[int]int{}
	type mark struct{ row, n int }
	var marks []mark
	changed := make([]bool, height)
	rows := 0
	for y := 1; y < height; y++ {
		if !equal(next[y*width:(y+1)*width], last[y*width:(y+1)*width]) {
			changed[y] = true
			rows++
		}
	}
	if rows < fewest {
		return shift{}
	}
	for y := 1; y < height; y++ {
		for x := 0; x < width; x += pieceWidth {
			if hash, ok := hashOf(last[y*width+x : y*width+min(x+pieceWidth, width)]); ok {
				at := place{x, hash}
				if _, twice := seen[at]; twice {
					seen[at] = -1
				} else {
					seen[at] = y
				}
			}
		}
	}
	for y := 1; y < height; y++ {
		if !changed[y] {
			continue
		}
		for x := 0; x < width; x += pieceWidth {
			hash, ok := hashOf(next[y*width+x : y*width+min(x+pieceWidth, width)])
			if !ok {
				continue
			}
			if from, found := seen[place{x, hash}]; found && from > 0 && from != y {
				votes[from-y]++
				marks = append(marks, mark{y, from - y})
			}
		}
	}
	best := shift{}
	for n, count := range votes {
		if count > votes[best.n] || count == votes[best.n] && n < best.n {
			best.n = n
		}
	}
	if votes[best.n] < fewest {
		return shift{}
	}
	best.top = height
	for _, m := range marks {
		if m.n == best.n {
			best.top = min(best.top, m.row, m.row+m.n)
			best.bottom = max(best.bottom, m.row+1, m.row+m.n+1)
		}
	}
	best.widen(next, last, width)
	if best.saves(next, last, width) <= 0 {
		return shift{}
	}
	return best
}

// MovesCheaply reports whether the rows of a rectangle can be moved for about what a
// row of it takes: what stands beside it, which moves with it, is the same in the next row for
// the most part. A screen that a painter does not draw moves nothing, and costs the same
// always.
func (s *Screen) MovesCheaply(x, y, width, height int) bool {
	if s.painter == nil || x < 0 || y < 0 || x+width > s.width || y+height > s.height {
		return true
	}
	bytes := 0
	for row := y; row < y+height-1; row++ {
		one, below := s.last[row*s.width:(row+1)*s.width], s.last[(row+1)*s.width:(row+2)*s.width]
		bytes += cost(one[:x], below[:x]) + cost(one[x+width:], below[x+width:])
		if bytes > width {
			return false
		}
	}
	return true
}

// widen takes rows at the end to which the others move into the movement, as far as that
// leaves less to draw: what they hold may stand in several places, and tell no movement.
func (s *shift) widen(next, last []cell, width int) {
	row := func(cells []cell, y int) []cell { return cells[y*width : (y+1)*width] }
	sum, most := 0, 0
	gains := func(y int) bool {
		sum += cost(row(next, y), row(last, y)) - cost(row(next, y), row(last, y+s.n))
		more := sum > most
		most = max(most, sum)
		return more
	}
	if s.n > 0 {
		for y := s.top - 1; y > 0; y-- {
			if gains(y) {
				s.top = y
			}
		}
		return
	}
	for y := s.bottom; y < len(next)/width; y++ {
		if gains(y) {
			s.bottom = y + 1
		}
	}
}

// saves is about how many bytes less are to be sent with a movement.
func (s shift) saves(next, last []cell, width int) int {
	without, with := 0, scrollCost+max(s.n, -s.n)
	empty := make([]cell, width)
	fill(empty, blank)
	for y := s.top; y < s.bottom; y++ {
		row := next[y*width : (y+1)*width]
		moved := empty
		if from := y + s.n; from >= s.top && from < s.bottom {
			moved = last[from*width : (from+1)*width]
		}
		without += cost(row, last[y*width:(y+1)*width])
		with += cost(row, moved)
	}
	return without - with
}

// cost is about how many bytes it takes to make one row of another.
func cost(next, last []cell) int {
	bytes, same := 0, shortStep+1
	for x := range next {
		if next[x] == last[x] {
			same++
			continue
		}
		if same > shortStep || next[x].style != next[x-1].style {
			bytes += runCost
		}
		same = 0
		bytes++
	}
	return bytes
}

// apply moves the rows of a frame.
func (s shift) apply(cells []cell, width int) {
	region := cells[s.top*width : s.bottom*width]
	if s.n > 0 {
		copy(region, region[s.n*width:])
		region = region[len(region)-s.n*width:]
	} else {
		copy(region[-s.n*width:], region)
		region = region[:-s.n*width]
	}
	for i := range region {
		region[i] = blank
	}
}

func equal(a, b []cell) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// hashOf is a number for a piece of a row (FNV-1a over its cells); not ok if the piece
// holds nothing, or one thing again and again, as a frame's edge does.
func hashOf(cells []cell) (hash uint64, ok bool) {
	hash = 14695981039346656037
	differ := 0
	for i, c := range cells {
		if i > 0 && c != cells[0] {
			differ++
		}
		hash = (hash ^ (uint64(uint32(c.glyph)) | uint64(uint16(c.style))<<32)) * 1099511628211
	}
	return hash, differ > 1
}
