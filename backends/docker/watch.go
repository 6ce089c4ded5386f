package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Logs writes what the container's own program has printed to two writers, until
// the log ends or, if opt.Follow, the container or ctx does. What a terminal
// printed all goes to stdout.
func (t *Target) Logs(ctx context.Context, opt LogOptions, stdout, stderr io.Writer) error {
	if err := Logs(ctx, t.engine, t.id, opt, stdout, stderr); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return t.explain(ctx, err)
	}
	return nil
}

// Logs is [Target.Logs] for a container that need not be a target.
func Logs(ctx context.Context, e Engine, name string, opt LogOptions, stdout, stderr io.Writer) error {
	c, err := e.Inspect(ctx, name)
	if err != nil {
		return err
	}
	r, err := e.Logs(ctx, c.ID, opt)
	if err != nil {
		return fmt.Errorf("logs: %w", err)
	}
	defer func() { _ = r.Close() }() // opened for reading
	if c.Terminal {
		_, err = io.Copy(stdout, r)
	} else {
		var failed error
		err = unframe(r, make([]byte, 32<<10), func(which byte, p []byte) {
			w := stdout
			if which == stderrMark {
				w = stderr
			}
			if _, werr := w.Write(p); werr != nil && failed == nil {
				failed = werr
				_ = r.Close() // nobody wants the rest
			}
		})
		if failed != nil {
			err = failed
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("logs: %w", err)
	}
	return nil
}

// Usage is what a container uses at one moment.
type Usage struct {
	Time   time.Time
	CPU    float64 // in percent of one processor
	Memory uint64  // bytes, without what the kernel would give up at once
	Limit  uint64  // bytes
	PIDs   uint64
}

// stats is what is read of the engine's statistics.
type stats struct {
	Read   time.Time `json:"read"`
	CPU    cpuStats  `json:"cpu_stats"`
	PreCPU cpuStats  `json:"precpu_stats"`
	Memory struct {
		Usage uint64            `json:"usage"`
		Limit uint64            `json:"limit"`
		Stats map[string]uint64 `json:"stats"`
	} `json:"memory_stats"`
	PIDs struct {
		Current uint64 `json:"current"`
	} `json:"pids_stats"`
}

type cpuStats struct {
	Usage struct {
		Total uint64 `json:"total_usage"`
	} `json:"cpu_usage"`
	System uint64 `json:"system_cpu_usage"`
	Online uint32 `json:"online_cpus"`
}

// Stats calls got about once a second until the container or ctx ends.
func (t *Target) Stats(ctx context.Context, got func(Usage)) error {
	r, err := t.engine.Stats(ctx, t.id)
	if err != nil {
		return t.explain(ctx, err)
	}
	defer func() { _ = r.Close() }() // opened for reading
	d := json.NewDecoder(r)
	for {
		var s stats
		err := d.Decode(&s)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return t.explain(ctx, errors.New("the statistics ended"))
		case err != nil:
			return t.explain(ctx, fmt.Errorf("statistics: %w", err))
		case s.Read.IsZero() || s.Read.Year() < 2000: // it has just stopped
			continue
		}
		got(s.usage())
	}
}

func (s *stats) usage() Usage {
	u := Usage{Time: s.Read, Memory: s.Memory.Usage, Limit: s.Memory.Limit, PIDs: s.PIDs.Current}
	for _, name := range []string{"total_inactive_file", "inactive_file"} { // control groups of version 1, of 2
		if v, ok := s.Memory.Stats[name]; ok && v < u.Memory {
			u.Memory -= v
			break
		}
	}
	used, passed := float64(s.CPU.Usage.Total)-float64(s.PreCPU.Usage.Total), float64(s.CPU.System)-float64(s.PreCPU.System)
	if used > 0 && passed > 0 && s.PreCPU.System > 0 {
		u.CPU = used / passed * float64(max(s.CPU.Online, 1)) * 100
	}
	return u
}
