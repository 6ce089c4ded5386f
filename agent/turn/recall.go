package turn

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/memory"
)

// Memory is what is known from other turns; [memory.Memory] is one.
type Memory interface {
	Recall(ctx context.Context, q memory.Question) (memory.Recalled, error)
	Tainted(ctx context.Context, conversation, target string) ([]string, error)
	Learn(ctx context.Context, e history.Episode) ([]history.Pattern, error)
}

var _ Memory = (*memory.Memory)(nil)

var secretNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`⟦secret:\d+⟧`) })

// learnTime bounds what is done for the memory at the end of a turn.
const learnTime = 5 * time.Second

// maxAction bounds the command of an episode's step, in bytes.
const maxAction = 300

// distrusted is what is remembered of targets' output and what the operator's
// folder says, which is taken for what it is: before what was said, so that a model
// does not get to own such words by repeating them.
func (t *turn) distrusted(ctx context.Context) []string {
	var texts []string
	if t.cfg.Memory != nil {
		var err error
		if texts, err = t.cfg.Memory.Tainted(ctx, t.id, t.situation.Target); err != nil {
			t.notify(agent.Notice{Text: "what nod remembers could not be read: " + err.Error()})
			t.unrecalled = true // what cannot be distrusted is not told either
		}
	}
	if t.cfg.Guidance != nil {
		t.guidance = t.cfg.Guidance(t.situation.Target)
		texts = append(texts, t.guidance.Folder) // others may have written it
	}
	return texts
}

// recollect finds what the model is told of earlier turns and of the folder that
// the operator works in.
func (t *turn) recollect(ctx context.Context, prompt string) {
	var parts []string
	if t.cfg.Memory != nil && !t.unrecalled {
		known, err := t.cfg.Memory.Recall(ctx, memory.Question{Conversation: t.id, Target: t.situation.Target, Prompt: prompt})
		if err != nil {
			t.notify(agent.Notice{Text: "what nod remembers could not be read: " + err.Error()})
		} else {
			parts = append(parts, known.Text(t.secrets().Text))
			for _, i := range known.Items {
				switch {
				case i.Tainted:
					t.seen.Printed(i.Text)
				case i.Label == string(memory.Operator):
					t.seen.Said(i.Text)
				}
			}
		}
	}
	t.seen.Said(t.guidance.Own)
	for _, text := range []string{t.guidance.Own, t.guidance.Folder} {
		if text != "" {
			parts = append(parts, t.secrets().Text(withoutNames(text)))
		}
	}
	t.recalled = strings.TrimSpace(strings.Join(parts, "\n\n"))
	if t.Model().Plain {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastRecalled = recalled{t.id, t.recalled}
}

// recalled is what a conversation's turn was told of earlier ones.
type recalled struct{ conversation, text string }

// Recalled is what the last turn was told of earlier turns and of the operator's
// folder, as the model got it; empty if the last turn was another conversation's.
func (a *Agent) Recalled(conversation string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lastRecalled.conversation != conversation {
		return ""
	}
	return a.lastRecalled.text
}

// narrowed are the tools that are left: a skill takes some away and never gives
// any.
func narrowed(have, only []string) []string {
	if only == nil {
		return have
	}
	left := []string{}
	for _, name := range only {
		if have == nil || slices.Contains(have, name) {
			left = append(left, name)
		}
	}
	return left
}
