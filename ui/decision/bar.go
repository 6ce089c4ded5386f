package decision

import "strings"

// NoAnswer is what a dialog says of keys that were not alone.
const NoAnswer = "a sentence is not an answer"

// barWidth is how many cells Bar has.
const barWidth = 8

// Bar draws how much of the time has gone by after which a key takes effect.
func Bar(part float64) string {
	n := max(0, min(barWidth, int(part*barWidth)))
	return strings.Repeat("▰", n) + strings.Repeat("▱", barWidth-n)
}
