package risk

// Bounds on what is read. Beyond them a text is opaque. Together they keep the
// verdict on any text of up to 1 MiB under 5 ms and 8 MiB; BenchmarkBounds
// measures that.
const (
	maxText  = 8 << 10 // bytes of one text
	maxWord  = 4 << 10 // bytes of one word
	maxDepth = 12      // texts within texts, and wrappers within wrappers
	maxNest  = 64      // shell constructs within constructs
	maxWork  = 4000    // units of work on one text, all texts within it included
	maxRound = 16      // loop items assessed one by one

	maxFindings = 200 // reasons that a verdict has at most
)

// What things cost, in units of about half a microsecond.
const (
	costStep = 1  // a statement, a part of a word, a candidate
	costRun  = 2  // a program with its arguments
	costPath = 20 // a path that is compared with the list of paths
	costByte = 64 // so many bytes that are copied or parsed again cost one unit
)

// budget is the work that is left, shared by everybody who works on one text.
type budget struct{ left int }

// quiet is an assessor for a question on the side: what it finds is its own, its
// work is a's.
func (a *assessor) quiet() *assessor {
	return &assessor{dialect: a.dialect, effect: Observe, depth: a.depth + 1, plainText: true, work: a.work, shape: a.shape}
}

// spend takes units off the budget and reports whether there were enough. When
// they run out the verdict is opaque, and the rest of the text is not read.
func (a *assessor) spend(units int, at word) bool {
	if a.work == nil {
		a.work = &budget{left: maxWork}
	}
	if a.work.left -= units; a.work.left >= 0 {
		return true
	}
	if !a.spent {
		a.spent = true
		a.unread(Mutate, Opaque, "text.size", "the text is too large, or too much is put together in it, to be read", at)
	}
	return false
}
