// Package lockout is a way back for commands that may cut the operator off: what
// a revert on the host itself has to save, the scripts that save and arm it, take
// it back, and fetch what it has done. It runs nothing.
//
// # What it promises
//
//   - [For] goes by the findings of a verdict: what a command touches is saved,
//     and nothing else. What it touches that no revert brings back is named.
//   - Arming saves first and arms then; after an error nothing is armed and
//     nothing stays behind. What is saved lies in a folder that only its owner
//     may read.
//   - The revert runs without a connection and without nod: by systemd, by at, or
//     in a shell of its own session.
//   - Either the revert or the disarming happens, never both: whoever makes the
//     link "taken" first. Disarming twice is the same as once.
//   - The scripts need a POSIX shell and what they handle: ip, iptables, nft,
//     sshd. Rights are root's, by login or by sudo without a password, unless
//     only files in the user's own home are touched.
//
// # What it does not know
//
// Changes beside those of the command, made while the revert is armed: in the
// saved aspects they are undone with the rest. Interfaces that were deleted, and
// the contents of kernel tables other than addresses, routes, rules, iptables and
// nftables.
//
// # Design
//
// The scripts are data files (arm.sh, revert.sh, disarm.sh, collect.sh) that are
// shown to the operator as they are, with a few assignments before them. Routes
// and rules are compared and mended line by line, not flushed and loaded: a
// revert of what has not changed does not touch the connections that work.
package lockout
