// Package backendtest is the conformance suite of targets: what package
// backends promises, each target must be seen to keep.
//
// A target's own tests call [Run] with a function that makes the target. The
// suite assumes a Linux with a POSIX shell, the usual small programs (busybox
// has them all) and sha256sum; it makes a folder of its own with mktemp and
// removes it. It reaches the target through the contract alone.
//
// [Home] and [Deserted] are for all tests that start shells.
//
// # Design
//
// All tests of a suite share one target and run in parallel, as the contract
// allows, so that the waiting ones cost no time and what is not safe for
// concurrent use shows. Nothing waits for a length of time: tests wait for a
// condition, with a limit after which they fail.
package backendtest
