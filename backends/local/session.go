package local

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// member is a process that belongs to a program's session or group.
type member struct{ pid, group, session int }

// sessionMembers lists the live processes of a session and of the process
// group with the same id, without the leader. The caller holds the leader's id
// (it is alive or not yet reaped), so nobody else can have it. Where /proc
// cannot be read the list is empty.
func sessionMembers(sid int) []member {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, err := dir.Readdirnames(-1)
	_ = dir.Close() // opened for reading
	if err != nil {
		return nil
	}
	var found []member
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == sid {
			continue
		}
		if m, live := readMember(pid); live && (m.session == sid || m.group == sid) {
			found = append(found, m)
		}
	}
	return found
}

// readMember reads /proc/PID/stat (proc(5)): "pid (comm) state ppid pgrp
// session …". The name may hold anything, closing brackets too.
func readMember(pid int) (member, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return member{}, false
	}
	rest := stat[bytes.LastIndexByte(stat, ')')+1:]
	fields := bytes.Fields(rest)
	if len(fields) < 4 {
		return member{}, false
	}
	group, err1 := strconv.Atoi(string(fields[2]))
	session, err2 := strconv.Atoi(string(fields[3]))
	dead := fields[0][0] == 'Z' || fields[0][0] == 'X'
	return member{pid: pid, group: group, session: session}, err1 == nil && err2 == nil && !dead
}

// signal signals m if it still belongs to the session sid. The process is held
// by a handle before that is checked, so that its id cannot change hands
// between the look and the signal. What has ended meanwhile is no error, and
// what may not be signalled is found by whoever waits for its end.
func (m member) signal(sid int, sig syscall.Signal) {
	p, err := os.FindProcess(m.pid)
	if err != nil {
		return
	}
	if now, live := readMember(m.pid); live && (now.session == sid || now.group == sid) {
		_ = p.Signal(sig)
	}
	_ = p.Release()
}
