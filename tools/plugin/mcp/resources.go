package mcp

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
	"github.com/nod-console/nod/tools/plugin/harmless"
)

//go:embed mcp_resource.md
var resourceGuide string

// maxResources bounds the resources that one call lists.
const maxResources = 100

// ResourceTool is the tool mcp_resource: it lists and reads the resources that the
// operator has accepted. It is offered where there are some.
type ResourceTool struct{ set *Set }

var (
	_ tools.Tool     = (*ResourceTool)(nil)
	_ tools.Optional = (*ResourceTool)(nil)
	_ tools.Added    = (*ResourceTool)(nil)
)

// Name implements [tools.Tool].
func (*ResourceTool) Name() string { return "mcp_resource" }

// Offered implements [tools.Optional].
func (t *ResourceTool) Offered() bool {
	return slices.ContainsFunc(t.set.servers, func(s *server) bool { return len(s.usable(kindResource)) > 0 })
}

// Description implements [tools.Tool].
func (*ResourceTool) Description() string { return spec.Brief(resourceGuide) }

// Added implements [tools.Added].
func (*ResourceTool) Added() bool { return true }

// Guidance implements [tools.Documented].
func (*ResourceTool) Guidance() string { return spec.Whole(resourceGuide) }

// Parallelizable implements [tools.Tool].
func (*ResourceTool) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (*ResourceTool) InputSchema() map[string]any {
	return spec.Schema(map[string]any{
		"server": spec.String("The server's name; without it, all of them."),
		"uri":    spec.String("The resource to read; without it, the resources are listed."),
	})
}

// Plan implements [tools.Tool]. To list is pure, and says what the operator has seen; to
// read calls the server.
func (t *ResourceTool) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var args struct {
		Server string `json:"server"`
		URI    string `json:"uri"`
	}
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	servers := t.set.servers
	if args.Server != "" {
		one, err := t.set.find(args.Server)
		if err != nil {
			return tools.Action{}, tools.Invalid("%v", err)
		}
		servers = []*server{one}
	}
	if args.URI == "" {
		return tools.Action{Tool: t.Name(), Kind: tools.Pure, Command: args.Server}, nil
	}
	var have []*server
	var digest string
	for _, s := range servers {
		for _, d := range s.usable(kindResource) {
			if d.Name == args.URI {
				have, digest = append(have, s), d.Digest()
			}
		}
	}
	switch len(have) {
	case 0:
		return tools.Action{}, tools.Invalid("there is no resource %.200q that the operator has accepted; list them with {}", args.URI)
	case 1:
	default:
		return tools.Action{}, tools.Invalid("%.200q is a resource of %s and of %s; say which server", args.URI, have[0].cfg.Name, have[1].cfg.Name)
	}
	return tools.Action{
		Tool: t.Name(), Kind: tools.Invoke, Target: TargetPrefix + have[0].cfg.Name, Wait: have[0].cfg.timeout(),
		Command: commandOf(args.URI, digest, `{"read":"resource"}`),
		Claim:   tools.Claim{Risk: "medium", Mutation: true}, // what the server does to answer cannot be seen
	}, nil
}

// Execute implements [tools.Tool].
func (t *ResourceTool) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	if a.Kind == tools.Pure {
		return t.list(a.Command), nil
	}
	filled, err := t.set.opt.Guard.Invoke(a, env.Grant)
	if err != nil {
		return tools.Result{}, tools.Denied("%w", err)
	}
	uri, digest, _, err := parse(filled.Command)
	if err != nil {
		return tools.Result{}, tools.Failed("mcp: %w", err)
	}
	s, err := t.set.find(strings.TrimPrefix(filled.Target, TargetPrefix))
	if err != nil {
		return tools.Result{}, tools.Failed("mcp: %w", err)
	}
	began := env.Time()
	answer, err := s.read(ctx, uri, digest)
	var r tools.Result
	if err != nil {
		r = s.failure(ctx, err)
	} else {
		r = s.result(ctx, answer, env)
	}
	r.Record.Duration = env.Time().Sub(began)
	return r, nil
}

// read reads a resource whose definition's digest begins with digest.
func (s *server) read(ctx context.Context, uri, digest string) (*sdk.CallToolResult, error) {
	var got *sdk.ReadResourceResult
	err := s.ask(ctx, func() error {
		for _, d := range s.usable(kindResource) {
			if d.Name == uri && strings.HasPrefix(d.Digest(), digest) {
				return nil
			}
		}
		return &changed{kindResource, uri}
	}, func(ctx context.Context, l *link) (err error) {
		got, err = l.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		return err
	})
	if err != nil {
		return nil, err
	}
	answer := &sdk.CallToolResult{}
	for _, c := range got.Contents {
		answer.Content = append(answer.Content, &sdk.EmbeddedResource{Resource: c})
	}
	return answer, nil
}

// ResourceLine is a resource as mcp_resource lists it.
type ResourceLine struct {
	Server      string `json:"server"`
	URI         string `json:"uri"`
	Description string `json:"description,omitempty"`
}

// list is the result of a call that lists; server may be empty.
func (t *ResourceTool) list(server string) tools.Result {
	all, left := []ResourceLine{}, 0
	for _, s := range t.set.servers {
		if server != "" && s.cfg.Name != server {
			continue
		}
		for _, d := range s.usable(kindResource) {
			if len(all) == maxResources {
				left++
				continue
			}
			all = append(all, ResourceLine{s.cfg.Name, d.Name, harmless.Line(d.Title+" "+d.Description, 200)})
		}
	}
	v := struct {
		Resources []ResourceLine `json:"resources"`
		Notices   []string       `json:"notices"`
	}{all, []string{isData}}
	if left > 0 {
		v.Notices = append(v.Notices, fmt.Sprintf("%d more are left out; name a server", left))
	}
	return tools.Result{Value: v}
}

// resourceDefinition is what reaches the model of a resource.
func resourceDefinition(r *sdk.Resource) (Definition, error) {
	if r.URI == "" || len(r.URI) > maxURI || harmless.Line(r.URI, maxURI) != r.URI {
		return Definition{}, errors.New("its address is empty, too long or no plain text")
	}
	title := r.Title
	if title == "" {
		title = r.Name
	}
	return Definition{Kind: kindResource, Name: r.URI, Title: title, Description: r.Description}, nil
}

// maxURI bounds a resource's address, in bytes.
const maxURI = 2000
