package ssh

// PlainQuotes reports whether the login shell was seen to quote as POSIX says.
func (c *Conn) PlainQuotes() bool { return c.about().posix }
