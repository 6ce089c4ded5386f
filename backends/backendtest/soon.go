package backendtest

import "time"

// Soon waits until a condition holds, and reports whether it did within a limit. To ask
// often costs a process, which slows down what is waited for: it asks ever more
// seldom, first after 5 ms, in the end each 100 ms.
func Soon(limit time.Duration, holds func() bool) bool {
	pause := 5 * time.Millisecond
	for end := time.Now().Add(limit); !holds(); {
		if time.Now().After(end) {
			return false
		}
		time.Sleep(pause)
		pause = min(pause*5/4, 100*time.Millisecond)
	}
	return true
}
