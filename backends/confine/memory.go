package confine

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// Where no folder lets programs run (noexec), an interpreter puts the helper into a
// file in memory and executes that: memfd_create(2), Linux 3.17.
const (
	fromPython = `import os,sys
f=os.memfd_create("cage",os.MFD_CLOEXEC)
os.write(f,bytes.fromhex(sys.argv[1]))
os.execv("/proc/self/fd/%d"%f,["cage"]+sys.argv[2:])`

	// perl-base has no module for base64, and no constant for the call.
	fromPerl = `$name="cage"; $fd=syscall(NUMBER,$name,1); $fd>=0 or die "memfd_create: $!\n";
open F,">&=",$fd or die "$!\n"; binmode F; print F pack "H*",shift; $|=1; select F; $|=1;
exec {"/proc/self/fd/$fd"} "cage",@ARGV; die "exec: $!\n"`
)

// fromMemory is the beginning of a command that runs the helper by an interpreter.
func fromMemory(interpreter, processor string) ([]string, error) {
	program, number := forAMD64, "319"
	switch processor {
	case "amd64":
	case "arm64":
		program, number = forARM64, "279"
	default:
		return nil, fmt.Errorf("install: unexpected processor %q", processor)
	}
	switch interpreter {
	case "python3":
		return []string{interpreter, "-c", fromPython, hex.EncodeToString(program)}, nil
	case "perl":
		return []string{interpreter, "-e", strings.Replace(fromPerl, "NUMBER", number, 1), hex.EncodeToString(program)}, nil
	}
	return nil, fmt.Errorf("install: unexpected interpreter %q", interpreter)
}
