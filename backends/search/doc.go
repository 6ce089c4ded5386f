// Package search compiles what somebody looks for ([backends.Query]) into what
// finds it, here and at the other end of a connection: [Compile] gives a [Plan].
//
// # What it promises
//
// The exact answer is always given here, by [Plan.Line] and [Plan.Name]. What a
// target's own find and grep are asked for ([Plan.ERE], [Plan.FindName],
// [Plan.Depth]) covers all of it, and sometimes more. So every target gives the
// same answers, whatever userland it has, and little more than the answers
// travels.
//
// # Errors
//
// An error of Compile says what is wrong with the pattern.
//
// # Concurrency
//
// A Plan is a value that nobody changes. Its methods may be called at any time.
//
// # Design
//
// Models write regular expressions in the syntax of Perl's family. grep -P is
// not everywhere, and grep -E means something else by \d. The pattern is parsed
// here instead, and its tree is written as a POSIX expression for the C locale,
// in which a byte is a character; what such an expression cannot say (a word's
// boundary, a class of letters beyond ASCII) is replaced by something wider.
package search
