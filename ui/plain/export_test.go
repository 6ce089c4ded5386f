package plain

// Waiting is how many requests wait for the operator.
func Waiting(c *Conversation) int { return len(c.inbox.lines("")) }
