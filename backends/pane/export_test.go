package pane

// HandOverByTyping has texts handed to the pane's shell by typing, as where
// there is no tmux.
func (p *Pane) HandOverByTyping() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
	p.types = true
}

// HandingOver reports whether a text is being handed over by typing.
func (p *Pane) HandingOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hand != nil && p.hand.Typed() != ""
}

// Secret is the nonce of the pane's marks.
func (p *Pane) Secret() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.nonce)
}

// Forget has the pane's shell hooked anew before its next command.
func (p *Pane) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
}

// HookWait is how long a shell may take to come to its prompt.
const HookWait = hookWait
