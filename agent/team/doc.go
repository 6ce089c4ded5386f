// Package team lets several agents work on tasks that depend on each other: a graph
// of tasks, messages between the members, and a memory that they share. It knows
// neither models nor targets.
//
//	tasks, err := team.Parse(text)          // also from within a ```json fence
//	err = team.Check(tasks, members)        // names, dependencies, cycles
//	outcomes := team.Run(ctx, tasks, do)    // ready ones at the same time
//
// A task is ready when all that it depends on are done. One that depends on a failed
// task is not run, and fails with it. [Run] returns when all have ended, in the order
// of the tasks; when ctx ends, what has not begun is not begun any more.
//
// A [Room] carries messages from member to member: each is read once, and one to
// everybody goes to all but its sender. Its notes are kept by namespace and key. Safe
// for concurrent use; what is read is a copy. Both are bounded, see the constants.
//
// # Design
//
// Tasks are plain values and Run takes a function, so that what a task does, and how
// many may work at the same time, is decided by whoever has the agents.
package team
