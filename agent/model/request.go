package model

import (
	"maps"
	"math"
	"regexp"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"
)

var (
	saysUsage     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`stream_options|include_usage`) })
	saysReasoning = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`reasoning_content`) })
	saysMaxTokens = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`max_completion_tokens`) })
	saysRoles     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)roles must alternate|conversation roles|role '?tool'? (is )?not|unexpected role|unknown role|invalid_request_message_order`)
	})
	saysOneCall = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)single tool[- ]calls? at once|one tool[- ]call at a time`)
	})
	saysNoSystem = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)system role (is )?not supported|system messages? (is |are )?not supported|does not support system`)
	})
	saysShortIDs = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)alphanumeric strings with length (>= ?)?9|must be a-z, A-Z, 0-9, with a length of 9`)
	})
	newerTokenName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(o[0-9]|gpt-[5-9])`) })
)

// encode writes a request in the library's terms. Its messages are as the server wants
// them already.
func (c *Client) encode(as manner, r Request) openai.ChatCompletionRequest {
	specs := r.Tools
	if as.inText {
		specs = nil
	}
	req := openai.ChatCompletionRequest{
		Model:           c.cfg.Model,
		Messages:        c.messages(r.Messages, !as.Reasoning),
		Tools:           toolsOf(specs),
		Temperature:     sampling(c.cfg.Temperature),
		TopP:            sampling(c.cfg.TopP),
		ReasoningEffort: c.cfg.ReasoningEffort,
	}
	if !as.Usage {
		req.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if as.MaxTokens || newerTokenName().MatchString(c.cfg.Model) {
		req.MaxCompletionTokens = r.MaxTokens
	} else {
		req.MaxTokens = r.MaxTokens //nolint:staticcheck // the only name that older servers know
	}
	return req
}

// sampling keeps a zero from being left out of the request: the library omits it.
func sampling(v *float32) float32 {
	switch {
	case v == nil:
		return 0
	case *v == 0:
		return math.SmallestNonzeroFloat32
	}
	return *v
}

func toolsOf(specs []ToolSpec) []openai.Tool {
	var list []openai.Tool
	for _, spec := range specs {
		params := spec.Parameters
		if params == nil {
			params = map[string]any{"type": "object"}
		}
		if _, ok := params["properties"]; !ok { // OpenAI and some templates insist on them
			params = maps.Clone(params)
			params["properties"] = map[string]any{}
		}
		list = append(list, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: spec.Name, Description: spec.Description, Parameters: params}})
	}
	return list
}

// TurnOf is where the turn in progress begins: behind the last message of a user's
// that is no aside.
func TurnOf(list []Message) int {
	turn := len(list)
	for turn > 0 && (list[turn-1].Role != User || list[turn-1].Aside != NoAside) {
		turn--
	}
	return turn
}

// messages writes the conversation. Reasoning goes back only within the turn in progress:
// models that think between calls need it there, and no model wants it later.
func (c *Client) messages(list []Message, reasoning bool) []openai.ChatCompletionMessage {
	turn := TurnOf(list)
	out := make([]openai.ChatCompletionMessage, 0, len(list))
	for i, m := range list {
		msg := openai.ChatCompletionMessage{
			Role: string(m.Role), Content: m.Content, Name: m.Name, ToolCallID: m.CallID}
		if m.Role == Assistant && reasoning && i >= turn && len(m.Calls) > 0 {
			msg.ReasoningContent = m.Reasoning
		}
		for _, call := range m.Calls {
			msg.ToolCalls = append(msg.ToolCalls, openai.ToolCall{
				ID: call.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: call.Name, Arguments: sentArguments(call)}})
		}
		if strings.TrimSpace(msg.Content) == "" && len(msg.ToolCalls) == 0 {
			// Servers reject a message without content.
			msg.Content = "(empty)"
		}
		out = append(out, msg)
	}
	return out
}

// sentArguments never sends back what does not parse: servers reject the whole
// conversation for it. The call's result tells the model what was wrong.
func sentArguments(call Call) string {
	if isObject(call.Arguments) {
		return string(call.Arguments)
	}
	return "{}"
}
