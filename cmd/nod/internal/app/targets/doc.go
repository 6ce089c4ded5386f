// Package targets opens, reconnects and drops what commands run on: this machine, hosts
// over ssh, containers.
//
// [Targets] has each target once, by its own name, however it is called. Concurrent
// callers of [Targets.Open] wait for the attempt in progress. What is open stands behind
// the guard until it is dropped. [Connections] finds the connection to a host: the
// operator's own ssh master, or the one that nod keeps.
package targets
