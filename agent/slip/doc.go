// Package slip repairs calls that leave no doubt about what they mean: a flag as text,
// another case of a name, an argument too many. What could change the meaning is left
// as it is, for the tool to refuse.
package slip
