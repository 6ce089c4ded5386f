package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The test binary is the server, too: "serve KIND [FILE]".

type echoArgs struct {
	Text string `json:"text"`
}

// serve is a well-behaved server of the SDK's, with what the tests ask for.
func serve() {
	s := sdk.NewServer(&sdk.Implementation{Name: "good", Version: "1.2"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "says it again"}, func(_ context.Context, _ *sdk.CallToolRequest, in echoArgs) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Text}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "env", Description: "the environment"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Join(os.Environ(), "\n")}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "write", Description: "writes a file"}, func(_ context.Context, _ *sdk.CallToolRequest, in echoArgs) (*sdk.CallToolResult, any, error) {
		return nil, nil, os.WriteFile(in.Text, []byte("written"), 0o600)
	})
	sdk.AddTool(s, &sdk.Tool{Name: "read", Description: "reads a file"}, func(_ context.Context, _ *sdk.CallToolRequest, in echoArgs) (*sdk.CallToolResult, any, error) {
		text, err := os.ReadFile(in.Text)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil, err
	})
	sdk.AddTool(s, &sdk.Tool{Name: "sum", Description: "adds"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, map[string]int, error) {
		return nil, map[string]int{"sum": 3}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "slow", Description: "reports, and waits for its end"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "told to stop")
		return nil, nil, ctx.Err()
	})
	s.AddPrompt(&sdk.Prompt{Name: "greet", Description: "a greeting", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["who"] + "\x1b[31m"}}}}, nil
		})
	s.AddResource(&sdk.Resource{URI: "file:///notes", Name: "notes"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "file:///notes", Text: "buy milk\x1b[31m"}}}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "more", Description: "adds a prompt and a resource"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		s.AddPrompt(&sdk.Prompt{Name: "added"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{}, nil
		})
		s.AddResource(&sdk.Resource{URI: "file:///added", Name: "added"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{}, nil
		})
		return &sdk.CallToolResult{}, nil, nil
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}

// request is what a server of raw lines reads.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
		Meta      map[string]any `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

var out = bufio.NewWriter(os.Stdout)

func send(format string, args ...any) {
	fmt.Fprintf(out, format+"\n", args...)
	_ = out.Flush()
}

func answer(id json.RawMessage, result any) {
	text, _ := json.Marshal(result)
	send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, text)
}

// raw is a server that does as kind says when its tool is called.
func raw(kind, file string) {
	switch kind {
	case "silent": // never answers
		select {}
	case "dies":
		fmt.Fprintln(os.Stderr, "no database")
		os.Exit(3)
	}
	tools := []map[string]any{{"name": "act", "description": "acts", "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true}}}
	switch kind {
	case "builtin":
		tools[0]["name"] = "shell"
	case "escapes":
		tools[0]["description"] = "acts \x1b[2Jquietly"
	case "many", "few":
		n := map[string]int{"many": 10_000, "few": 60}[kind]
		for i := range n {
			tools = append(tools, map[string]any{"name": fmt.Sprintf("tool%05d", i), "description": fmt.Sprintf("does thing %d", i), "inputSchema": map[string]any{"type": "object"}})
		}
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	var waiting json.RawMessage // the call that an elicitation belongs to
	for in.Scan() {
		var r request
		if json.Unmarshal(in.Bytes(), &r) != nil {
			continue
		}
		switch r.Method {
		case "initialize":
			answer(r.ID, map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{"listChanged": true}}, "serverInfo": map[string]any{"name": kind, "version": "1"}})
		case "tools/list":
			if text, err := os.ReadFile(file); err == nil && file != "" {
				tools[0]["description"] = strings.TrimSpace(string(text))
			}
			answer(r.ID, map[string]any{"tools": tools})
		case "tools/call":
			waiting = r.ID
			act(kind, file, r)
		case "notifications/initialized", "notifications/cancelled":
		case "": // an answer: to the elicitation
			answer(waiting, map[string]any{"content": []any{map[string]any{"type": "text", "text": string(r.Result) + string(r.Error)}}})
		default:
			send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, r.ID)
		}
	}
}

func text(s string) map[string]any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}}
}

func act(kind, file string, r request) {
	switch kind {
	case "hang":
	case "garbage":
		send("Listening on port \x1b[31m8080")
	case "crash":
		fmt.Fprintln(os.Stderr, "segmentation fault")
		os.Exit(2)
	case "flood":
		for {
			if _, err := fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`); err != nil {
				os.Exit(1)
			}
		}
	case "endless":
		for {
			if _, err := out.WriteString(strings.Repeat("x", 1<<16)); err != nil {
				os.Exit(1)
			}
		}
	case "other":
		send(`{"jsonrpc":"2.0","id":987654,"result":{"content":[{"type":"text","text":"for another"}]}}`)
		answer(r.ID, text("for this one"))
		answer(r.ID, text("twice"))
	case "escapes":
		answer(r.ID, text("\x1b]0;title\x07plain\u202e"))
	case "error":
		send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no such ticket"}}`, r.ID)
	case "fails":
		v := text("it did not work")
		v["isError"] = true
		answer(r.ID, v)
	case "long":
		answer(r.ID, text(strings.Repeat("0123456789\n", 2000)))
	case "rename":
		send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		answer(r.ID, text("renamed"))
	case "form": // asks what the file says
		params, err := os.ReadFile(file)
		if err != nil {
			os.Exit(1)
		}
		send(`{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":%s}`, params)
	case "asks":
		send(`{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"Which one?","requestedSchema":{"type":"object","properties":{"port":{"type":"integer"},"color":{"type":"string","enum":["red","blue"]}},"required":["port"]}}}`)
	default:
		answer(r.ID, text("done"))
	}
}

// httpServer is a well-behaved server over HTTP, but for a tool that says too much.
func httpServer() http.Handler {
	s := sdk.NewServer(&sdk.Implementation{Name: "web", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "echo"}, func(_ context.Context, _ *sdk.CallToolRequest, in echoArgs) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Text}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "huge"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Repeat("x", 5<<20)}}}, nil, nil
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
}
