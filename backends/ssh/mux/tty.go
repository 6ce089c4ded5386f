package mux

import (
	"encoding/binary"
	"slices"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

// terminalModes are a terminal's settings as the ssh protocol carries them
// (RFC 4254, section 8). They must be read before the client hears that its
// session is open: it sets its terminal raw then.
func terminalModes(fd int) []byte {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return []byte{modeEnd}
	}
	return encodeModes(t)
}

const (
	modeEnd         = 0
	modeInputSpeed  = 128
	modeOutputSpeed = 129
)

func encodeModes(t *unix.Termios) []byte {
	var b []byte
	put := func(op byte, v uint32) { b = binary.BigEndian.AppendUint32(append(b, op), v) }
	in, out := speeds(t)
	put(modeOutputSpeed, out)
	put(modeInputSpeed, in)
	for _, c := range slices.Concat(controlCharacters, moreCharacters) {
		v := uint32(t.Cc[c.index])
		if v == noCharacter {
			v = 255 // on the wire
		}
		put(c.op, v)
	}
	for _, m := range []struct {
		word uint64
		bits []modeBit
	}{{uint64(t.Iflag), inputModes}, {uint64(t.Lflag), localModes}, {uint64(t.Oflag), outputModes}} {
		for _, bit := range m.bits {
			if bit.mask != 0 { // OpenSSH, too, leaves out what the system does not have
				put(bit.op, flag(m.word&bit.mask != 0))
			}
		}
	}
	// Character sizes are values of one field, not bits of their own; like
	// OpenSSH, each is reported as the bits that it has.
	for _, bit := range controlModes {
		put(bit.op, flag(uint64(t.Cflag)&bit.mask != 0))
	}
	return append(b, modeEnd)
}

type modeBit struct {
	op   byte
	mask uint64
}

type controlCharacter struct {
	op    byte
	index int
}

var (
	controlCharacters = []controlCharacter{
		{1, unix.VINTR}, {2, unix.VQUIT}, {3, unix.VERASE}, {4, unix.VKILL}, {5, unix.VEOF}, {6, unix.VEOL},
		{7, unix.VEOL2}, {8, unix.VSTART}, {9, unix.VSTOP}, {10, unix.VSUSP}, {12, unix.VREPRINT},
		{13, unix.VWERASE}, {14, unix.VLNEXT}, {18, unix.VDISCARD},
	}
	inputModes = []modeBit{
		{30, unix.IGNPAR}, {31, unix.PARMRK}, {32, unix.INPCK}, {33, unix.ISTRIP}, {34, unix.INLCR},
		{35, unix.IGNCR}, {36, unix.ICRNL}, {37, iuclc}, {38, unix.IXON}, {39, unix.IXANY},
		{40, unix.IXOFF}, {41, unix.IMAXBEL}, {42, iutf8},
	}
	localModes = []modeBit{
		{50, unix.ISIG}, {51, unix.ICANON}, {52, xcase}, {53, unix.ECHO}, {54, unix.ECHOE},
		{55, unix.ECHOK}, {56, unix.ECHONL}, {57, unix.NOFLSH}, {58, unix.TOSTOP}, {59, unix.IEXTEN},
		{60, unix.ECHOCTL}, {61, unix.ECHOKE}, {62, unix.PENDIN},
	}
	outputModes = []modeBit{
		{70, unix.OPOST}, {71, olcuc}, {72, unix.ONLCR}, {73, unix.OCRNL}, {74, unix.ONOCR}, {75, unix.ONLRET},
	}
	controlModes = []modeBit{{90, unix.CS7}, {91, unix.CS8}, {92, unix.PARENB}, {93, unix.PARODD}}
)

// terminalSize is a terminal's size; zero if fd is none.
func terminalSize(fd int) unix.Winsize {
	w, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	if err != nil {
		return unix.Winsize{}
	}
	return *w
}

// ptyRequest is the payload of a "pty-req" (RFC 4254, 6.2).
func ptyRequest(term string, w unix.Winsize, modes []byte) []byte {
	return ssh.Marshal(struct {
		Term                    string
		Cols, Rows, Width, High uint32
		Modes                   string
	}{term, uint32(w.Col), uint32(w.Row), uint32(w.Xpixel), uint32(w.Ypixel), string(modes)})
}

// windowChange is the payload of a "window-change" (RFC 4254, 6.7).
func windowChange(w unix.Winsize) []byte {
	return ssh.Marshal(struct{ Cols, Rows, Width, High uint32 }{uint32(w.Col), uint32(w.Row), uint32(w.Xpixel), uint32(w.Ypixel)})
}
