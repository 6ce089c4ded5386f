// Package risk answers one question: what could this command do? It is a pure
// function of the text (or the argument vector, the keys, the path) that reaches
// its own verdict, so that a claim made elsewhere about the same action can be
// checked against it. It runs nothing, opens nothing and remembers nothing.
//
// # What it promises
//
//   - A verdict is Auto only when its effect is Observe, it has no flag, and
//     every part of the text was understood: parsed in the shell's dialect, with
//     every program, sub-command, option and kind of operand on the list of what
//     is permitted. Whatever is not understood is not auto.
//   - The zero Verdict is not auto and counts as the strongest.
//   - Findings carry byte offsets into the assessed text. What lies inside a
//     nested text (sh -c '…', ssh host '…') has the span of the word that holds
//     the nested text.
//   - Input is bounded: 64 KiB of text, limited nesting, limited work. Beyond
//     the bounds a text is opaque.
//   - All functions are safe for concurrent use. None returns an error: what
//     cannot be assessed is a verdict, too.
//
// # What it does not know
//
// The target's aliases, functions, links, PATH and file contents. A program is
// known by its base name when it is called by that name or from one of the
// system's folders. A symbolic link with an innocent name is read as that name.
//
// An address that is fetched counts as plain when it is a fixed, short http(s)
// address without query or credentials (curl with GET or HEAD to standard
// output); anything longer could itself carry data away and is exfil.
//
// # Design
//
// Options and sub-commands are permitted, never forbidden: a list of forbidden
// ones is wrong on the day a program learns a new one. What programs are lives
// in data files (data/README.md), one per family; only the programs whose
// arguments are a language of their own (find, tar, awk, sed, shells) have code.
// Paths are judged by what they are, whatever program is given them.
//
// Variables that the text itself sets to fixed values are followed, and short
// loops over fixed words are assessed word by word, because operators write
// such loops. Everything else that a shell puts together when it runs is a hole
// in the word, and a hole is only accepted where any value at all is harmless.
package risk
