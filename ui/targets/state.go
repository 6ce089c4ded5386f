package targets

// String is the state in a word; nothing for what is merely known.
func (s State) String() string {
	switch s {
	case Connecting:
		return "connecting"
	case Connected:
		return "connected"
	case Lost:
		return "lost"
	}
	return ""
}

// Standing is how nod stands with the target, in a word: its own if there is
// one, such as "paused", else the state's.
func (t Target) Standing() string {
	if t.Word != "" {
		return t.Word
	}
	return t.State.String()
}
