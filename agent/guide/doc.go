// Package guide is what answers when no model is configured: a small responder inside the
// program that maps what operators ask to read-only checks, has them run, and sums up what
// they found with their figures. It is no language model, and says so.
//
// Use it as the transport of the ordinary model client:
//
//	model.New(model.Config{BaseURL: guide.BaseURL, Model: guide.ModelName,
//		Transport: guide.New(guide.Options{}).Transport()})
//
// So its calls take the same way as any model's: planned, assessed, approved, recorded.
//
// # Promises
//
//   - It opens no socket, starts no goroutine, runs nothing itself and keeps nothing between
//     requests. The same conversation gives the same answer, but for the calls' ids.
//   - Its annotations are honest: a topic's commands only read; a command that the operator
//     dictates is claimed to be harmless only if it is a plain line of a program known to
//     read.
//   - A denial ends the looking: nothing more is asked for in that turn, and the answer says
//     what was denied. What cannot be read is said, never guessed.
//   - What a machine printed appears in the answer as code, never as markup.
//
// # Design
//
// What it knows is data (topics.toml): words that lead to a topic, commands, why. How the
// results are read is code, one file per topic. A reply is a fixed point: the plan lists
// every step that the question calls for given the results so far; steps that were not made
// yet are called, and when none is left the results are reported. So commands that replace
// others, and those that depend on what was found, need no state.
package guide
