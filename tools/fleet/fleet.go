package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet/nodeset"
	"github.com/nod-console/nod/tools/guard"
)

// Roster knows the targets that the operator has. Safe for concurrent use.
type Roster interface {
	// Known are the names of all targets that are known without asking anybody, connected or
	// not. It must be quick.
	Known() []string
	// Containers are the names of the targets of a container engine, "docker" or "podman".
	Containers(ctx context.Context, kind string) ([]string, error)
	// Groups are the names of the operator's groups, sorted; Group is what one stands for.
	Groups() []string
	Group(name string) (expression string, ok bool)
	// Connect connects a target.
	Connect(ctx context.Context, target string) error
	// Failed is why the last attempt to connect a target came to nothing; nil if none did.
	Failed(target string) error
}

// Fleet finds the targets that calls name. A nil *Fleet knows none.
type Fleet struct {
	Guard  *guard.Guard
	Roster Roster
}

// Offered reports whether there is more than one target to work on.
func (f *Fleet) Offered() bool { return f != nil && (len(f.Guard.Targets()) > 1 || len(f.Apart()) > 0) }

// here is this machine: it can be connected, and nobody has to be told so.
const here = "local"

// Apart are the targets that are known and not connected, but for this machine.
func (f *Fleet) Apart() []string {
	connected := append(f.Guard.Targets(), here)
	return slices.DeleteFunc(f.Roster.Known(), func(name string) bool { return slices.Contains(connected, name) })
}

// Names are targets as a call names them: a list, or one text.
type Names []string

// UnmarshalJSON reads a list of texts or one text.
func (n *Names) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil && len(text) > 0 && text[0] == '"' {
		*n = Names{one}
		return nil
	}
	var all []string
	if err := json.Unmarshal(text, &all); err != nil {
		return err // which names the type that is wanted
	}
	*n = all
	return nil
}

// Schema is the schema of the argument that names several targets.
func Schema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
}

// Spots are the targets that a call names, each once, sorted by name: connected ones, and
// those that could not be connected, of which only the name is known.
type Spots []guard.About

// Find returns the targets that a call works on. The error is a rejection: of a name that is
// no target of the operator's, or where something is to be connected first.
func (f *Fleet) Find(ctx context.Context, names Names) (Spots, error) {
	targets, err := f.meant(ctx, names)
	if err != nil {
		return nil, err
	}
	var spots Spots
	var apart []string
	reached := false
	for _, name := range targets {
		about, err := f.Guard.About(name)
		switch {
		case err == nil:
			reached = true
		case f.Roster.Failed(name) == nil:
			apart = append(apart, name)
			continue
		default:
			about = guard.About{Target: name, Shell: "sh"}
		}
		spots = append(spots, about)
	}
	switch {
	case len(apart) > 0:
		return nil, tools.Reject(NotConnected, "nothing was done: not connected are %s. Have the operator connect them first: connect_target {\"targets\": [%q]}; or leave them out.",
			nodeset.Fold(apart), nodeset.Fold(apart))
	case !reached:
		return nil, tools.Reject(NotConnected, "nothing was done: none of %s could be connected: %v. Tell the operator, or try connect_target again.",
			nodeset.Fold(targets), f.Roster.Failed(targets[0]))
	}
	return spots, nil
}

// meant are the targets that a call names, sorted.
func (f *Fleet) meant(ctx context.Context, names Names) ([]string, error) {
	known, err := f.known(ctx, names)
	if err != nil {
		return nil, err
	}
	u := nodeset.Universe{
		Names: known, Also: short, Group: f.Roster.Group,
		Meant: func(name string) (string, error) { return meantBy(name, known) },
	}
	var all []string
	for _, expression := range names {
		some, err := nodeset.Expand(expression, u)
		if no := (*tools.Rejection)(nil); errors.As(err, &no) {
			return nil, no
		}
		if err != nil {
			return nil, tools.Invalid("targets: %w; want names of targets such as ssh:web-1, or web[1-3]", err)
		}
		all = append(all, some...)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > tools.MostTargets {
		return nil, tools.Invalid("targets: %d are named; one call is for at most %d", len(all), tools.MostTargets)
	}
	if len(all) == 0 {
		return nil, tools.Invalid("targets: %q names none; there are %s", strings.Join(names, ","), folded(known))
	}
	return all, nil
}

// known are all targets that a call could name, containers too if it may name one.
func (f *Fleet) known(ctx context.Context, names Names) ([]string, error) {
	all := append(f.Guard.Targets(), f.Roster.Known()...)
	for _, kind := range []string{"docker", "podman"} {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, kind+":") }) {
			continue
		}
		some, err := f.Roster.Containers(ctx, kind)
		if err != nil {
			return nil, tools.Reject("no_target", "the containers of %s cannot be listed: %v", kind, err)
		}
		all = append(all, some...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// meantBy is the target of a name: the one that is called so, or the only one on a host or in
// a container of that name.
func meantBy(name string, known []string) (string, error) {
	if slices.Contains(known, name) {
		return name, nil
	}
	var on []string
	for _, target := range known {
		if slices.ContainsFunc(short(target), func(s string) bool { return strings.EqualFold(s, name) }) {
			on = append(on, target)
		}
	}
	switch len(on) {
	case 0:
		return "", tools.Reject("no_target", "there is no target %q; %s. Only the operator's own targets can be named.", name, nearest(name, known))
	case 1:
		return on[0], nil
	}
	return "", tools.Reject("no_target", "%q is each of %s: name one of them", name, strings.Join(on, ", "))
}

// short are the shorter names of a target: without its kind, its user and its port.
func short(target string) []string {
	_, host, ok := strings.Cut(target, ":")
	if !ok {
		return nil
	}
	bare := host[strings.LastIndexByte(host, '@')+1:]
	if at := strings.LastIndexByte(bare, ':'); at >= 0 && !strings.HasSuffix(bare, "]") {
		bare = bare[:at]
	}
	return []string{host, bare}
}

// mostNear bounds the names that a wrong one is answered with.
const mostNear = 3

// nearest says which targets a name may have meant.
func nearest(name string, known []string) string {
	type near struct {
		target   string
		distance int
	}
	var all []near
	for _, target := range known {
		best := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(target))
		for _, s := range short(target) {
			best = min(best, levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(s)))
		}
		if best <= max(2, len(name)/3) {
			all = append(all, near{target, best})
		}
	}
	if len(all) == 0 {
		return "there are " + folded(known)
	}
	slices.SortFunc(all, func(a, b near) int { return cmp.Or(a.distance-b.distance, strings.Compare(a.target, b.target)) })
	names := make([]string, min(len(all), mostNear))
	for i := range names {
		names[i] = all[i].target
	}
	return "the nearest are " + strings.Join(names, ", ")
}

// mostNamed bounds how many characters a list of targets takes in a message.
const mostNamed = 400

// folded is a list of targets that is not too long.
func folded(names []string) string {
	head, omitted := tools.Head(nodeset.Fold(names), mostNamed)
	if omitted > 0 {
		head += fmt.Sprintf("… (%d in all)", len(names))
	}
	return head
}

// NotConnected is the code of what failed because a target is not connected.
const NotConnected = "not_connected"

// Explained is a problem of a target, with why it is not connected if that is all.
func (f *Fleet) Explained(problem tools.Problem, target string) tools.Problem {
	if problem.Code != "no_target" {
		return problem
	}
	problem = tools.Problem{Code: NotConnected, Error: "it is not connected any more"}
	if err := f.Roster.Failed(target); err != nil {
		problem.Error = fmt.Sprintf("it could not be connected: %v", err)
	}
	return problem
}

// atOnce bounds on how many targets something is looked at at the same time.
const atOnce = 64

// Join makes one action of one on each of some targets: with one target that one itself,
// else all of them as its parts. one is called from several goroutines. The error is that of
// the first target which has one.
func (s Spots) Join(one func(guard.About) (tools.Action, error)) (tools.Action, error) {
	parts, names, errs := make([]tools.Action, len(s)), make([]string, len(s)), make([]error, len(s))
	turns := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	for i, about := range s {
		names[i] = about.Target
		turns <- struct{}{}
		running.Go(func() {
			defer func() { <-turns }()
			parts[i], errs[i] = one(about)
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return tools.Action{}, err
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return tools.Join(nodeset.Fold(names), parts), nil
}
