// Package syntax tells the parts of a line of code apart: comments, strings, numbers,
// words of the language, names.
//
//	l := syntax.Of("go")
//	var s syntax.State
//	for line := range strings.SplitSeq(code, "\n") {
//		var pieces []syntax.Piece
//		pieces, s = l.Line(line, s)
//	}
//
// The pieces of a line are the line: nothing is left out, added or changed. A line
// depends on the lines before it by its [State] alone, so that a block of code that is
// still arriving is read a line at a time, and what was read stays as it is.
//
// # Design
//
// The languages are data (languages.toml), read when the first of them is asked for. It
// is no parser: it knows how comments and strings begin and end, and lists of words. That
// is what makes code quicker to read, and it cannot be wrong about anything that runs.
//
// The lexers of chroma know more. Their package makes all of them when a program starts,
// which is 5 to 14 ms and 2.7 MB for each start of nod, and their state cannot be kept
// between two lines.
package syntax
