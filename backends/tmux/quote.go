package tmux

import "strings"

// Quote writes an argument so that tmux's command parser reads it back byte for
// byte. It holds for every byte but zero, which tmux cannot carry.
func Quote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && s[0] != '%' && s[0] != '=' {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		// A raw 0xff is the end of the input to tmux's parser.
		if c := s[i]; c >= 0x80 && c != 0xff || c == ' ' || plain(rune(c)) {
			b.WriteByte(c)
		} else {
			b.WriteByte('\\')
			b.WriteByte('0' + c>>6)
			b.WriteByte('0' + c>>3&7)
			b.WriteByte('0' + c&7)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func plain(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return true
	}
	return strings.ContainsRune("-_./:,@%+=", r)
}

// commandLine writes one command as a line of the protocol.
func commandLine(argv []string) string {
	q := make([]string, len(argv))
	for i, a := range argv {
		q[i] = Quote(a)
	}
	return strings.Join(q, " ")
}
