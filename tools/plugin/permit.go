package plugin

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools"
)

// permit reports what in an action the plugin has not asked for in its manifest; nil if
// it has asked for all.
func (p Permissions) permit(a tools.Action) error {
	if !slices.Contains(p.Tools, a.Tool) {
		return notAsked("tools", a.Tool)
	}
	if a.Kind == tools.Fetch {
		at, err := url.Parse(a.Command)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(p.Hosts, func(h string) bool { return hostMatches(h, at.Hostname()) }) {
			return notAsked("hosts", at.Hostname())
		}
		return nil
	}
	if !slices.Contains(p.Targets, a.Target) && !slices.Contains(p.Targets, "*") {
		return notAsked("targets", a.Target)
	}
	if a.Kind == tools.Read || a.Kind == tools.Write {
		if !slices.ContainsFunc(p.Paths, func(dir string) bool {
			return a.Path == dir || strings.HasPrefix(a.Path, strings.TrimSuffix(dir, "/")+"/")
		}) {
			return notAsked("paths", a.Path)
		}
	}
	return nil
}

func hostMatches(pattern, host string) bool {
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(strings.ToLower(host), "."+strings.ToLower(below))
	}
	return strings.EqualFold(pattern, host)
}

func notAsked(what, value string) error {
	return fmt.Errorf("the plugin has not asked for it: permissions.%s in its %s lacks %q", what, ManifestName, value)
}
