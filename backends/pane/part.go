package pane

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What a hook changes in a shell of the operator's is taken back when nod goes:
// he goes on using that shell. The hook is wrapped for that in what writes down
// which of the variables that it changes were there, and how (HOOK in the
// texts); the parting text takes out what is nod's, and leaves what he has
// changed himself since.
var (
	//go:embed hooks/guest.sh
	posixGuest string
	//go:embed hooks/guest.zsh
	zshGuest string

	//go:embed hooks/part.bash
	bashPart string
	//go:embed hooks/part.sh
	posixPart string
	//go:embed hooks/part.zsh
	zshPart string
	//go:embed hooks/part.fish
	fishPart string
)

// guestHook is a hook for a shell, by the name that tmux gives it, that can be
// taken back, and that finds the tmux server by its socket, a word of the shell.
func guestHook(command, hook, socket string) string {
	text, set := posixGuest, "__nod_x="
	switch shellNamed(command) {
	case "zsh":
		text = zshGuest
	case "fish": // has nothing that it cannot tell from its own
		text, set = "HOOK\n", "set -g __nod_x "
	}
	if socket != "" {
		hook = strings.TrimSuffix(hook, "\n") + "\n" + set + socket + ",0,0\n"
	}
	return strings.Replace(text, "HOOK\n", strings.TrimSuffix(hook, "\n")+"\n", 1)
}

var nodNames = regexp.MustCompile(`\b__nod_[a-zA-Z0-9_]+`)

// parting is the text that takes a hook back. farewell is written last, in
// printf's notation.
func parting(s Shell, n nonce, farewell string) string {
	text := posixPart
	switch s {
	case Bash, OldBash:
		text = bashPart
	case Zsh:
		text = zshPart
	case Fish:
		text = fishPart
	}
	hook := n.hook(string(s), "") + posixGuest
	names := nodNames.FindAllString(hook+text, -1)
	slices.Sort(names)
	names = slices.Compact(names)
	// The tab has it handed over and not typed.
	return "\t" + strings.NewReplacer("NAMES", strings.Join(names, " "), "FAREWELL", farewell).Replace(text)
}

// runsStash is what is typed for a command that is handed over.
const runsStash = `eval "$(__nod_r)"`

// unhook takes nod's marks out of the shell, which must stand at its prompt,
// with nothing on its line. path is what the terminal's path was before.
func (p *Pane) unhook(ctx context.Context, path string) error {
	if err := p.lookAgain(ctx); err == nil && p.Shell() == NoShell {
		return nil // the shell has ended, and its marks with it
	}
	if _, err := p.shortly(ctx, promptWait, func() bool { return p.phase == atPrompt && p.prompt.known }); err != nil {
		return err
	}
	p.mu.Lock()
	shell, n, ready := p.shell, p.nonce, p.phase == atPrompt && p.run == nil
	p.mu.Unlock()
	if !ready {
		return fmt.Errorf("%w (%s): a command runs in it", ErrMarksStay, p.ID())
	}
	length := len(runsStash)
	if shell.readline() {
		length++ // see shape
	}
	if !shell.announces() {
		length += len("__nod_f;")
	}
	farewell := eraser(p.Screen(), length) + `\033]7;` + printfFormat(path) + `\007\033]133;D;0;h=` + string(n) + `\007`
	r, err := p.Run(ctx, Request{Command: parting(shell, n, farewell)})
	if err != nil {
		return fmt.Errorf("%w (%s): %w", ErrMarksStay, p.ID(), err)
	}
	select {
	case <-r.Done():
	case <-ctx.Done():
		return fmt.Errorf("%w (%s): %w", ErrMarksStay, p.ID(), overdue(ctx))
	}
	if res := r.Result(); !res.Outcome.OK() {
		return fmt.Errorf("%w (%s): %w", ErrMarksStay, p.ID(), errors.New(strings.Join(append(res.Notices, res.Outcome.String(), res.Text), "; ")))
	}
	return nil
}
