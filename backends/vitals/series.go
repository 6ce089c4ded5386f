package vitals

import "time"

// Slot is the time that one value of a Series stands for.
const Slot = 30 * time.Second

// keepSlots is how many values a Series keeps: ten minutes.
const keepSlots = 20

// Missing stands in a Series for a time of which nothing is known.
const Missing = -1.0

// Series is a figure over the last minutes. Its zero value is empty. It belongs to one
// goroutine.
type Series struct {
	values [keepSlots]float64 // of the slots up to last, by the slot's number modulo keepSlots
	counts [keepSlots]int     // how many values each is the mean of
	last   int64              // the slot of the newest value
}

// Add takes a value that held at a time. Times do not go back.
func (s *Series) Add(at time.Time, value float64) {
	slot := at.UnixNano() / int64(Slot)
	if slot > s.last {
		for i := max(s.last+1, slot-keepSlots+1); i <= slot; i++ {
			s.values[i%keepSlots], s.counts[i%keepSlots] = 0, 0
		}
		s.last = slot
	}
	if slot < s.last {
		return
	}
	i := slot % keepSlots
	s.counts[i]++
	s.values[i] += (value - s.values[i]) / float64(s.counts[i])
}

// Since are the values up to a time, the oldest first: one for each slot, or Missing,
// from the first one that is known on.
func (s *Series) Since(now time.Time) []float64 {
	slot := now.UnixNano() / int64(Slot)
	var all []float64
	for i := slot - keepSlots + 1; i <= slot; i++ {
		value := Missing
		if i <= s.last && i > s.last-keepSlots && s.counts[i%keepSlots] > 0 {
			value = s.values[i%keepSlots]
		}
		if value != Missing || all != nil {
			all = append(all, value)
		}
	}
	if n := len(all); n > 1 && all[n-1] == Missing { // the slot has just begun
		all = all[:n-1]
	}
	return all
}
