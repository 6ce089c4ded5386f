package console_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/console"
)

func TestAnEarlierConversationIsChosenAndGoneOnWith(t *testing.T) {
	told := make(chan string, 8)
	s := begin(t, 100, 30, func(opt *console.Options) {
		opt.Past = &console.Past{
			Find: func(_ context.Context, text string) ([]console.Held, error) {
				all := []console.Held{
					{ID: "one", Title: "disk of web-1", Target: "ssh:web-1", When: time.Now()},
					{ID: "two", Title: "nginx \x1b[31mis slow", Target: "local", When: time.Now(), Excerpt: "upstream timed out"},
					{ID: "now", Title: "this one", Target: "local", When: time.Now(), InUse: true},
				}
				switch text {
				case "":
					return all, nil
				case "nginx":
					return all[1:2], nil
				case "broken":
					return nil, errors.New("the disk is gone")
				}
				return nil, nil
			},
			Resume: func(_ context.Context, id string, prompt func(string), sink agent.Sink) error {
				told <- "resume " + id
				prompt("an old question")
				sink(agent.Text{Text: "an old answer"})
				return nil
			},
			Memory: func(_ context.Context, words string) ([]string, error) {
				if words != "" {
					return nil, errors.New("no such pattern")
				}
				return []string{"global", "  5f0c1a9e  Use apt-get"}, nil
			},
		}
	})
	s.Type("/history").Press("Enter").See("conversations").See("disk of web-1").See("this one (it is open)").Press("Esc").Gone("Esc closes")
	s.Type("/history nginx").Press("Enter").See("conversations with nginx").See("is slow: upstream timed out").Gone("disk of web-1")
	s.Press("Enter").See("> an old question").See("◆ an old answer").See("nothing running")
	if got := <-told; got != "resume two" {
		t.Error(got)
	}
	s.Type("/history zebra").Press("Enter").See(`no conversation has "zebra"`)
	s.Type("/history broken").Press("Enter").See("/history: the disk is gone")
	s.Type("/memory").Press("Enter").See("5f0c1a9e  Use apt-get")
	s.Type("/memory strike x").Press("Enter").See("/memory: no such pattern")
}

func TestAForkGoesBackToBeforeAPrompt(t *testing.T) {
	told := make(chan int, 8)
	s := begin(t, 100, 30, func(opt *console.Options) {
		opt.Past = &console.Past{
			Prompts: func(context.Context) ([]console.Said, error) {
				return []console.Said{{Place: 1, Text: "first", When: time.Now()}, {Place: 5, Text: "second\nline", When: time.Now()}}, nil
			},
			Fork: func(_ context.Context, before int, prompt func(string), _ agent.Sink) error {
				told <- before
				prompt("first")
				return nil
			},
		}
	})
	s.Type("hello").Press("Enter").See("You said: hello")
	s.Type("/fork").Press("Enter").See("second line").See("first").Press("Enter")
	s.See("> first").Gone("You said: hello").See("a copy of the conversation").See("> second")
	if got := []int{<-told}; !slices.Equal(got, []int{5}) {
		t.Error(got)
	}
}
