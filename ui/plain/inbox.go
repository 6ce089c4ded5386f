package plain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/result"
)

// inbox is what waits for the operator's nod, in the order in which it came.
type inbox struct {
	mu  sync.Mutex
	all []waiting
}

type waiting struct {
	request policy.Request
	since   time.Time
}

// put adds a request; take back removes it.
func (in *inbox) put(r policy.Request) (takeBack func()) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.all = append(in.all, waiting{r, time.Now()})
	return func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.all = slices.DeleteFunc(in.all, func(w waiting) bool { return w.request.ID == r.ID })
	}
}

// lines are what waits, but for the request with an ID: what, where and for how long.
func (in *inbox) lines(but string) (lines []string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, w := range in.all {
		if w.request.ID == but {
			continue
		}
		where := show.Text(w.request.Action.Target)
		if w.request.Trust != "" {
			where += " (" + string(w.request.Trust) + ")"
		}
		lines = append(lines, fmt.Sprintf("%d. %s, on %s, for %s", len(lines)+1, console.About(w.request), where, result.Duration(time.Since(w.since).Round(time.Second))))
	}
	return lines
}

// Approve implements policy.Approver. What else waits is said before the question.
func (a approver) Approve(ctx context.Context, r policy.Request) (answer policy.Answer, err error) {
	defer a.c.inbox.put(r)()
	err = a.c.floor.ask(ctx, func() (err error) {
		if others := a.c.inbox.lines(r.ID); len(others) > 0 {
			a.c.out.say(note, fmt.Sprintf("%d more will be asked after this:\n%s", len(others), strings.Join(others, "\n")))
		}
		a.c.out.hold()
		defer a.c.out.release()
		answer, err = a.c.approver.Approve(ctx, r)
		return err
	})
	return answer, err
}

// sayInbox says what waits for the operator.
func (c *Conversation) sayInbox() {
	lines := c.inbox.lines("")
	if len(lines) == 0 {
		lines = []string{"nothing waits for you"}
	}
	c.out.say(note, strings.Join(lines, "\n"))
}
