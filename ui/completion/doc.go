// Package completion offers, while the operator writes, what a word could become:
// a command behind "/", what it can be told, a target or a file behind "@".
//
// [At] finds the word before the cursor. Whoever knows the candidates fills a
// [Menu] with them, which remembers what is marked and draws itself above the line
// that is written in.
//
// # Design
//
// What is put in is plain text, which the operator sees before he sends it: there
// is no meaning behind it that the model would be told and he would not. Enter
// sends what is written, as it does without candidates, unless he has marked one
// himself.
package completion
