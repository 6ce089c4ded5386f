package tmux

// SetVersion has a server taken for another release.
func (s *Server) SetVersion(v Version) { s.version = v }
