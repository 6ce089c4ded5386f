package gate

import "time"

// SetPatience changes how long an execution may go on after its context ended.
func SetPatience(g *Gate, d time.Duration) { g.abandon = d }
