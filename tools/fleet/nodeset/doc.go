// Package nodeset reads and writes sets of names as ClusterShell does: web[01-40,45].
//
// An expression is one or more elements with an operator between them, read from the left
// to the right:
//
//	a,b   what is in either
//	a!b   what is in a and not in b
//	a&b   what is in both
//	a^b   what is in exactly one
//
// An element is a name, in which [1-3,7] stands for numbers, [01-40] for padded ones and
// [0-10/2] for every second one, any number of times; a pattern with * and ? for those of the
// names that are there; or @GROUP, which is an expression somebody has given a name. @* is
// all names. Brackets around an IPv6 address mean no numbers.
//
// [Fold] writes a set as short as it can, and [Expand] gets the same names back.
package nodeset
