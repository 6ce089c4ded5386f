package private

import "golang.org/x/sys/unix"

// readOnlyMount is the flag of statfs(2) for a file system that is mounted read-only.
const readOnlyMount = unix.ST_RDONLY
