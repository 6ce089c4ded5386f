package posix

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// errScript says that a remote shell has not run a script.
var errScript = errors.New("the shell at the other end does not run a script")

// Run has the shell run a script, in itself: it must not end it, and its names begin with
// nod_. The result is the line that it leaves in $nod_r. The shell does nothing else meanwhile.
func (r *RemoteShell) Run(ctx context.Context, script string) (string, error) {
	return result(r.ask(ctx, script, "run", strconv.Itoa(len(script))))
}

// Call has the shell run a function of a script that it has run, with arguments that hold
// nothing but letters, digits and what paths are made of. input comes on its standard input, which
// goes on behind that with what is for others: the function reads exactly that.
func (r *RemoteShell) Call(ctx context.Context, input []byte, function string, args ...string) (string, error) {
	return result(r.ask(ctx, string(input), append([]string{"call", function}, args...)...))
}

// result is what a script has left.
func result(answer string, err error) (string, error) {
	line, ok := strings.CutPrefix(answer, "ok ")
	if err == nil && !ok {
		err = errScript
	}
	return line, err
}
