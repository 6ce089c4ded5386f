package ssh

// PlainQuotes reports whether the login shell was seen to quote as POSIX says.
func (c *Conn) PlainQuotes() bool { return c.about().posix }

// RunBare runs a line in a session of the connection, without a launcher.
func (c *Conn) RunBare(line string) error {
	s, err := c.link.(*clientLink).client.NewSession()
	if err != nil {
		return err
	}
	return s.Run(line)
}

// ParseHop reads a hop of ProxyJump.
var ParseHop = parseHop
