package terminal

import (
	"encoding/json"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/nod-console/nod/tools"
)

// Limits of what a call may ask for.
const (
	maxWait  = 24 * time.Hour
	maxDelay = 5 * time.Minute
)

var units = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour}

var amount = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{1,9})([a-z]+)$`) })

// wait says how long a call waits for the end of its command.
type wait struct {
	background bool
	limit      time.Duration // 0: as long as it takes
	until      tools.Until   // what else ends it
}

// parseWait reads the argument wait: true, false, "30s", "10m", "1h", or whole
// seconds. The error is an invalid_args error.
func parseWait(raw json.RawMessage) (wait, error) {
	switch string(raw) {
	case "", "null", "true":
		return wait{}, nil
	case "false":
		return wait{background: true}, nil
	}
	var limit time.Duration
	if text := ""; json.Unmarshal(raw, &text) == nil {
		m := amount().FindStringSubmatch(text)
		if m == nil || m[2] == "ms" || units[m[2]] == 0 {
			return wait{}, tools.Invalid(`wait is %q, want true, false, seconds as a number, or a text such as "30s", "10m", "1h"`, text)
		}
		limit = times(m[1], units[m[2]])
	} else if n, err := strconv.ParseUint(string(raw), 10, 31); err == nil {
		limit = time.Duration(n) * time.Second
	} else {
		return wait{}, tools.Invalid(`wait is %s, want true, false, whole seconds, or a text such as "30s", "10m", "1h"`, raw)
	}
	if limit <= 0 || limit > maxWait {
		return wait{}, tools.Invalid("wait is %s, want more than nothing and at most 24h; wait=false does not wait", raw)
	}
	return wait{limit: limit}, nil
}

// parseDelay reads the argument delay, such as "500ms" or "2s". The error is an
// invalid_args error.
func parseDelay(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	m := amount().FindStringSubmatch(text)
	if m == nil || units[m[2]] == 0 {
		return 0, tools.Invalid(`delay is %q, want a number and a unit such as "500ms", "2s", "1m"`, text)
	}
	d := times(m[1], units[m[2]])
	if d > maxDelay {
		return 0, tools.Invalid("delay is %q, the most is %s", text, maxDelay)
	}
	return d, nil
}

// times multiplies at most nine digits, which cannot overflow for hours.
func times(digits string, unit time.Duration) time.Duration {
	n, err := strconv.Atoi(digits)
	if err != nil || time.Duration(n) > maxWait/unit {
		return maxWait + 1
	}
	return time.Duration(n) * unit
}
