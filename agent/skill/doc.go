// Package skill finds, reads, installs and removes skills: folders with a file
// SKILL.md that says how a certain task is done.
//
//	catalog := skill.Find(skill.Place{Dir: config + "/skills", Name: "nod"}, …)
//	text, err := catalog.Load("rotate-certificates")
//
// SKILL.md begins with front matter between two lines "---". name, description and
// version are required, tags and tools are lists; other keys are ignored. tools are
// the only ones that may be called while the skill is active: they narrow what a
// call may do and never widen it.
//
// # Promises
//
//   - A skill that cannot be read is listed with the reason ([Skill.Fault]) and never
//     offered. Of two with a name, the one of the earlier place counts.
//   - Symbolic links are not followed, neither in a skill's folder nor in an archive.
//     A folder that others can write is not read.
//   - An archive is unpacked beside the others and put in its place in one step, or
//     not at all: paths that lead out of it, links, devices, and more or larger
//     files than the limits are errors.
//   - Nothing of a skill is ever run.
//
// # Design
//
// The front matter is read by a parser of its own for the part of YAML that such
// files use: scalars, plain and quoted, blocks, and lists. What is beyond that in a
// key that counts is an error, not a guess.
package skill
