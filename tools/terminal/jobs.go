package terminal

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

// mostEnded is how many commands are kept that have ended and of which no call has told
// the end; each may hold some megabytes of output.
const mostEnded = 8

// Jobs are the tracked commands that go on, or whose end no call has told yet, by their
// handles. One belongs to all tools of an invocation. The zero value is ready for use; a
// nil one gives no handles. It is safe for concurrent use.
type Jobs struct {
	mu   sync.Mutex
	last int
	all  []*job // in the order in which they began
}

// job is one tracked command.
type job struct {
	jobs   *Jobs
	handle string // "job1"
	action tools.Action
	run    guard.Run
	feed   *feed
	began  time.Time

	mu   sync.Mutex
	told string // of its output, to the model
}

// begin gives a run a handle.
func (j *Jobs) begin(a tools.Action, run guard.Run, f *feed) *job {
	k := &job{jobs: j, action: a, run: run, feed: f, began: time.Now()}
	if j == nil {
		return k
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	k.handle = fmt.Sprintf("job%d", j.last)
	ended := 0
	for i := len(j.all) - 1; i >= 0; i-- { // the newest first
		if isDone(j.all[i].run) {
			if ended++; ended > mostEnded {
				j.all = slices.Delete(j.all, i, i+1)
			}
		}
	}
	j.all = append(j.all, k)
	return k
}

// forget drops a job, of which all is told.
func (j *Jobs) forget(k *job) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.all = slices.DeleteFunc(j.all, func(o *job) bool { return o == k })
}

// list are all jobs, the oldest first.
func (j *Jobs) list() []*job {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.all)
}

// find is the job of a handle. The error is a rejection that names those that there are.
func (j *Jobs) find(handle string) (*job, error) {
	all := j.list()
	var names []string
	for _, k := range all {
		if k.handle == handle {
			return k, nil
		}
		names = append(names, k.handle)
	}
	there := "no command of yours runs"
	if len(names) > 0 {
		there = "there are " + strings.Join(names, ", ")
	}
	return nil, tools.Reject("no_job", "there is no job %q: its end was told already, or there never was one; %s", handle, there)
}

// in is the job that goes on in a pane; nil if there is none.
func (j *Jobs) in(target, pane string) *job {
	for _, k := range j.list() {
		if k.action.Target == target && k.action.Pane == pane && !isDone(k.run) {
			return k
		}
	}
	return nil
}

// busy is how for what goes on in a pane.
func (j *Jobs) busy(target, pane string) string {
	if k := j.in(target, pane); k != nil {
		return j.how(k)
	}
	return ": look with capture-pane, stop it with send-keys C-c"
}

// how says how to go on with a job that has not ended.
func (j *Jobs) how(k *job) string {
	if j == nil {
		return ": look with capture-pane, stop it with send-keys C-c"
	}
	return fmt.Sprintf(`: what is new, and its end, is told by jobs {"job": %q, "wait_for": {"seconds": 60}}; send-keys C-c stops it`, k.handle)
}

// output is all that is known of the run's output.
func (k *job) output(got pane.Result) output {
	if !got.Truncated {
		return output{text: got.Text}
	}
	beyond := got.Total - int64(len(got.Raw))
	end := k.feed.last(beyond)
	return join(got.Text, marks.Render(end), beyond, len(end))
}

// unseen is what of the output no call has told yet, and news the same once: then it is
// told. Where a line was written anew, it is that line and all behind it.
func (k *job) unseen(text string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return behind(k.told, text)
}

func (k *job) news(text string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	fresh := behind(k.told, text)
	k.told = text
	return fresh
}

// behind is what a text has beyond an earlier one, in whole lines where these differ.
func behind(before, text string) string {
	if rest, ok := strings.CutPrefix(text, before); ok {
		return rest
	}
	n := 0
	for n < len(before) && n < len(text) && before[n] == text[n] {
		n++
	}
	return text[strings.LastIndexByte(text[:n], '\n')+1:]
}

// lastLine is the last line of an output that says something, in short.
func lastLine(text string) string {
	text = strings.TrimRight(text, " \r\n\t")
	return line(text[strings.LastIndexByte(text, '\n')+1:])
}
