package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/nod-console/nod/tools/plugin"
	"github.com/nod-console/nod/tools/plugin/lua"
)

// PluginStore is where plugins are installed.
func PluginStore(state string) plugin.Store {
	return plugin.Store{Dir: filepath.Join(state, "plugins")}
}

// PluginOptions say how nod runs a plugin.
func PluginOptions(told func(name, method, text string)) (plugin.Options, error) {
	self := "/proc/self/exe" // also where nod was replaced since it was started
	if runtime.GOOS != "linux" {
		var err error
		if self, err = os.Executable(); err != nil {
			return plugin.Options{}, err
		}
	}
	return plugin.Options{Program: []string{self, lua.Command}, Told: told}, nil
}

// PluginsTried waits until each plugin was started, or could not be: the tools of those that
// were are there. The error is ctx's cause. Call it after OpenAgent.
func (h *Core) PluginsTried(ctx context.Context) error {
	select {
	case <-h.plugins:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// loadPlugins starts the plugins behind everything else.
func (h *Core) loadPlugins() {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	h.plugins = done
	var loaded []*plugin.Loaded // nil where one could not be loaded
	go func() {
		defer close(done)
		all, err := PluginStore(h.State).All()
		if err != nil {
			h.tell("plugins: " + err.Error())
		}
		options, err := PluginOptions(func(name, method, text string) {
			if method == "notify" {
				h.tell("plugin " + name + ": " + text)
			}
		})
		if err != nil {
			h.tell("plugins: " + err.Error())
			return
		}
		var starts sync.WaitGroup
		loaded = make([]*plugin.Loaded, len(all))
		for i, p := range all {
			if p.Fault != "" {
				h.tell(fmt.Sprintf("the plugin %s is not loaded: %s", p.Name, p.Fault))
				continue
			}
			starts.Go(func() {
				l, err := plugin.Load(ctx, p.Plugin, options)
				if err != nil {
					if ctx.Err() == nil {
						h.tell(err.Error())
					}
					return
				}
				loaded[i] = l
			})
		}
		starts.Wait()
		loaded = slices.DeleteFunc(loaded, func(l *plugin.Loaded) bool { return l == nil })
		for _, l := range loaded {
			for _, t := range l.Tools() {
				if slices.Contains(builtin, t.Name()) || h.Tools.Register(t) != nil {
					h.tell(fmt.Sprintf("plugin %s: its tool %q is left out, because nod has a tool of that name already; rename it", l.Name, t.Name()))
				}
			}
		}
	}()
	h.closers = append(h.closers, func() error {
		stop()
		<-done
		for _, l := range loaded {
			l.Close()
		}
		return nil
	})
}

func (h *Core) tell(text string) {
	if h.warn != nil {
		h.warn(text)
	}
}
