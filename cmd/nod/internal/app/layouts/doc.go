// Package layouts keeps, for each set of targets, how the operator has divided the screen
// and which terminals of their own stood on it, and when each target was connected last.
//
// All of it is in one file of the state folder. It is a convenience: a file that is
// damaged, too large or of another version counts as empty, and is replaced with the next
// change. What cannot be written is told once, and holds until the end of nod.
package layouts
