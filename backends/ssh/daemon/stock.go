package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// stockCheck is the time between two looks whether a master of the system's ssh is
// still there.
const stockCheck = 5 * time.Second

// logInStock has the system's ssh log in, as a master on the host's socket.
func (c *connection) logInStock(ctx context.Context, o Order, opt ssh.Options, why string) error {
	opt.Step(ssh.Step{Host: c.host.String(), Stage: ssh.Dialing, Detail: "with the system's ssh: " + why, At: time.Now()})
	socket := c.daemon.folder.Socket(c.host)
	master, err := mux.Dial(ctx, socket)
	if err != nil { // else one of an earlier daemon goes on
		if err := c.startStock(ctx, o, opt.Asker, socket); err != nil {
			return &ssh.DialError{Host: c.host.String(), Stage: ssh.Authenticating, Err: err}
		}
		if master, err = mux.Dial(ctx, socket); err != nil {
			return fmt.Errorf("ssh: the master of the system's ssh: %w", err)
		}
	}
	pid, err := master.Check(ctx)
	if err != nil {
		return fmt.Errorf("ssh: the master of the system's ssh: %w", err)
	}
	c.dialer = master
	info := Info{Host: c.host.String(), Socket: socket, Pid: pid, Since: time.Now(), Stock: true}
	c.begin(info, func(ctx context.Context) error { return watchStock(ctx, master) })
	c.mu.Lock()
	c.info.Persist = o.Persist // it keeps that time itself
	c.mu.Unlock()
	return nil
}

// startStock starts the system's ssh and returns when it has logged in.
func (c *connection) startStock(ctx context.Context, o Order, ask ssh.Asker, socket string) error {
	askpass, token, err := c.daemon.askpass(ask)
	if err != nil {
		return err
	}
	defer c.daemon.answered(token)
	defer func() { _ = os.Remove(askpass) }() // asked
	errs, err := os.CreateTemp("", "nod-ssh-")
	if err != nil {
		return err
	}
	defer func() { _, _ = errs.Close(), os.Remove(errs.Name()) }()    // read below
	cmd := exec.CommandContext(ctx, "ssh", c.stockArgs(o, socket)...) //nolint:gosec // the operator's own, and a host that was checked
	cmd.Env = append(o.Env, "SSH_ASKPASS="+askpass, "SSH_ASKPASS_REQUIRE=force", "DISPLAY="+displayOf(o.Env))
	cmd.Dir, cmd.Stderr = o.Dir, errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	said, _ := os.ReadFile(errs.Name()) // it may say nothing
	if text := strings.Join(strings.Fields(string(said)), " "); text != "" {
		return fmt.Errorf("the system's ssh says: %s", text)
	}
	return fmt.Errorf("the system's ssh: %w", err)
}

// displayOf is DISPLAY, without which older ssh do not ask.
func displayOf(env []string) string {
	display := ":nod"
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, "DISPLAY="); ok && value != "" {
			display = value
		}
	}
	return display
}

func (c *connection) stockArgs(o Order, socket string) []string {
	args := []string{"-f", "-N", "-M", "-S", socket}
	if o.Config != "" {
		args = append(args, "-F", o.Config)
	}
	persist := "yes"
	if o.Persist > 0 {
		persist = strconv.Itoa(max(1, int(o.Persist/time.Second)))
	}
	alive := max(1, int(o.Keepalive/time.Second))
	args = append(args, "-o", "ControlPersist="+persist, "-o", "ServerAliveInterval="+strconv.Itoa(alive), "-o", "ServerAliveCountMax=3",
		"-o", "RemoteCommand=none", "-o", "PermitRemoteOpen=any")
	if c.host.User != "" {
		args = append(args, "-l", c.host.User)
	}
	if c.host.Port != 0 {
		args = append(args, "-p", strconv.Itoa(c.host.Port))
	}
	return append(args, "--", c.host.Name)
}

// watchStock returns when the master has ended, and ends it with the context.
func watchStock(ctx context.Context, master *mux.Client) error {
	for {
		select {
		case <-time.After(stockCheck):
			if _, err := master.Check(ctx); err != nil && ctx.Err() == nil {
				return fmt.Errorf("the system's ssh has ended: %w", err)
			}
		case <-ctx.Done():
			why := context.Cause(ctx)
			if !errors.Is(why, errStopped) { // with the daemon's end it goes on
				late, cancel := context.WithTimeout(context.WithoutCancel(ctx), mux.AnswerLimit)
				defer cancel()
				if err := master.Exit(late); err != nil {
					return err
				}
			}
			return why
		}
	}
}

// Prompt is a question of the system's ssh.
type Prompt struct {
	Token string `json:"token"` // of the login
	Text  string `json:"text"`
	Kind  string `json:"kind,omitempty"` // SSH_ASKPASS_PROMPT
}

// askpass makes a program for SSH_ASKPASS, whose questions ask answers.
func (d *daemon) askpass(ask ssh.Asker) (path, token string, err error) {
	token = rand.Text()
	line := "#!/bin/sh\nexec"
	for _, word := range append(d.program, string(d.folder), token) {
		quoted, err := syntax.Quote(word, syntax.LangPOSIX)
		if err != nil {
			return "", "", fmt.Errorf("ssh: %q: %w", word, err)
		}
		line += " " + quoted
	}
	path = filepath.Join(string(d.folder), "ask-"+token[:8])
	if err := os.WriteFile(path, []byte(line+" \"$1\"\n"), 0o700); err != nil { //nolint:gosec // it is a program
		return "", "", fmt.Errorf("ssh: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.prompts[token] = ask
	return path, token, nil
}

func (d *daemon) answered(token string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.prompts, token)
}

// Ask is what the program for SSH_ASKPASS does: it puts a question of the system's
// ssh to the daemon and returns the answer, or an error if there is none.
func (f Folder) Ask(ctx context.Context, p Prompt) (string, error) {
	m, err := f.ask(ctx, message{Prompt: &p})
	if err != nil {
		return "", err
	}
	if m.Answer == nil || m.Answer.None {
		return "", ssh.ErrNotAnswered
	}
	return m.Answer.Text, nil
}

// answer asks the operator on behalf of the system's ssh.
func (d *daemon) answer(p *pipe, q Prompt) error {
	d.mu.Lock()
	ask := d.prompts[q.Token]
	d.mu.Unlock()
	said, err := relay(d.ctx, ask, q)
	if err != nil {
		return p.send(message{Answer: &answer{None: true}})
	}
	return p.send(message{Answer: &answer{Text: said}})
}

// What ssh asks, by its words (sshconnect.c, sshconnect2.c).
var (
	keyPrompt = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)authenticity of host '(.*?)(?: \((.*?)\))?' can't.*?(\S+) key fingerprint is (\S+?)\.?\s`)
	})
	passphrasePrompt = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Enter passphrase for (?:key )?'?(.*?)'?: ?$`) })
)

// relay puts a prompt of ssh as the question that it is.
func relay(ctx context.Context, ask ssh.Asker, q Prompt) (string, error) {
	secret := ssh.SecretQuestion{Kind: ssh.Challenge, Prompt: q.Text, Try: 1}
	switch key, file := keyPrompt().FindStringSubmatch(q.Text), passphrasePrompt().FindStringSubmatch(q.Text); {
	case q.Kind != "":
		return "", ssh.ErrNotAnswered // news, or the agent's own question
	case key != nil && ask.Confirm != nil:
		yes, err := ask.Confirm(ctx, ssh.HostKeyQuestion{Host: key[1], Address: key[2], KeyType: key[3], Fingerprint: key[4]})
		if err != nil || !yes {
			return "no", err
		}
		return "yes", nil
	case key != nil || strings.Contains(q.Text, "(yes/no"):
		return "", ssh.ErrNotAnswered
	case file != nil:
		secret.Kind, secret.Key = ssh.Passphrase, file[1]
	case strings.HasSuffix(strings.TrimSpace(q.Text), "password:"):
		secret.Kind = ssh.Password
	}
	if ask.Secret == nil {
		return "", ssh.ErrNotAnswered
	}
	return ask.Secret(ctx, secret)
}
