package textcall

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A writer writes a call as the models of one family do.
type writer struct {
	name  string
	write func(tool string, args map[string]any) string
	// tagged families write each argument between tags: what is no string is JSON, and a
	// string is as it stands, so that it cannot hold the tags themselves.
	tagged bool
}

func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// between writes the arguments by a format of key and value.
func between(format string, args map[string]any) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(args)) {
		text, ok := args[key].(string)
		if !ok {
			text = asJSON(args[key])
		}
		fmt.Fprintf(&b, format, key, text)
	}
	return b.String()
}

// inPython writes the arguments as Python's keywords.
func inPython(args map[string]any) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(args)) {
		value := asJSON(args[key])
		if _, text := args[key].(string); !text {
			value = strings.NewReplacer("true", "True", "false", "False", "null", "None").Replace(value)
		}
		all = append(all, key+"="+value)
	}
	return strings.Join(all, ", ")
}

func object2(name, rest string) func(string, map[string]any) string {
	return func(tool string, args map[string]any) string {
		return fmt.Sprintf(rest, fmt.Sprintf(`{"name": %q, %q: %s}`, tool, name, asJSON(args)))
	}
}

var writers = []writer{
	{name: "Hermes", write: object2("arguments", "<tool_call>\n%s\n</tool_call>")},
	{name: "Qwen 2.5 Coder", write: object2("arguments", "<tools>\n%s\n</tools>")},
	{name: "LongCat", write: object2("arguments", "<longcat_tool_call>%s</longcat_tool_call>")},
	{name: "Llama 3", write: object2("parameters", "<|python_tag|>%s<|eom_id|>")},
	{name: "Mistral", write: object2("arguments", "[TOOL_CALLS] [%s]")},
	{name: "Granite", write: object2("arguments", "<|tool_call|>[%s]")},
	{name: "Granite 20B", write: object2("arguments", "<function_call> %s")},
	{name: "Command", write: object2("parameters", "<|START_ACTION|>[%s]<|END_ACTION|>")},
	{name: "InternLM", write: object2("parameters", "<|action_start|><|plugin|>\n%s<|action_end|>")},
	{name: "Hunyuan", write: object2("arguments", "<tool_calls>[%s]</tool_calls>")},
	{name: "Nemotron", write: object2("arguments", "<TOOLCALL>[%s]</TOOLCALL>")},
	{name: "Phi", write: object2("arguments", "functools[%s]")},
	{name: "FireFunction", write: object2("arguments", "<functioncall> %s</functioncall>")},
	{name: "GigaChat", write: object2("arguments", "function call<|role_sep|>\n%s<|message_sep|>")},
	{name: "GigaChat 3.1", write: object2("arguments", "<|function_call|>%s")},
	{name: "HyperCLOVA X", write: object2("arguments", "-> tool/function_call\n[%s]<|im_end|>")},
	{name: "Pangu", write: object2("arguments", "<|tool_call_start|>[%s]<|tool_call_end|>")},
	{name: "Apertus", write: func(tool string, args map[string]any) string {
		return fmt.Sprintf(`<|tools_prefix|>[{%q: %s}]<|tools_suffix|>`, tool, asJSON(args))
	}},
	{name: "Mistral 11", write: func(tool string, args map[string]any) string { return "[TOOL_CALLS]" + tool + "[ARGS]" + asJSON(args) }},
	{name: "DeepSeek", write: func(tool string, args map[string]any) string {
		return "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>" + tool + "\n```json\n" + asJSON(args) + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	}},
	{name: "DeepSeek 3.1", write: func(tool string, args map[string]any) string {
		return "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>" + tool + "<｜tool▁sep｜>" + asJSON(args) + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	}},
	{name: "Kimi", write: func(tool string, args map[string]any) string {
		return "<|tool_calls_section_begin|><|tool_call_begin|>functions." + tool + ":0<|tool_call_argument_begin|>" + asJSON(args) + "<|tool_call_end|><|tool_calls_section_end|>"
	}},
	{name: "gpt-oss", write: func(tool string, args map[string]any) string {
		return "<|channel|>commentary to=functions." + tool + " <|constrain|>json<|message|>" + asJSON(args) + "<|call|>"
	}},
	{name: "Gemma", write: func(tool string, args map[string]any) string {
		return "<|tool_call>call:" + tool + asJSON(args) + "<tool_call|>"
	}},
	{name: "Functionary 3.1", write: func(tool string, args map[string]any) string {
		return "<function=" + tool + ">" + asJSON(args) + "</function>"
	}},
	{name: "Functionary 3.2", write: func(tool string, args map[string]any) string { return ">>>" + tool + "\n" + asJSON(args) }},
	{name: "PLaMo", write: func(tool string, args map[string]any) string {
		return "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>" + tool + "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>" +
			asJSON(args) + "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>"
	}},
	{name: "LFM2", write: func(tool string, args map[string]any) string {
		return "<|tool_call_start|>[" + tool + "(" + inPython(args) + ")]<|tool_call_end|>"
	}},
	{name: "Llama 4", write: func(tool string, args map[string]any) string {
		return "<|python_start|>[" + tool + "(" + inPython(args) + ")]<|python_end|>"
	}},
	{name: "Olmo 3", write: func(tool string, args map[string]any) string {
		return "<function_calls>" + tool + "(" + inPython(args) + ")</function_calls>"
	}},
	{name: "Qwen 3 Coder", tagged: true, write: func(tool string, args map[string]any) string {
		return "<tool_call>\n<function=" + tool + ">\n" + between("<parameter=%s>\n%s\n</parameter>\n", args) + "</function>\n</tool_call>"
	}},
	{name: "Seed", tagged: true, write: func(tool string, args map[string]any) string {
		return "<seed:tool_call><function=" + tool + ">" + between("<parameter=%s>\n%s\n</parameter>", args) + "</function></seed:tool_call>"
	}},
	{name: "MiniMax", tagged: true, write: func(tool string, args map[string]any) string {
		return "<minimax:tool_call>\n<invoke name=\"" + tool + "\">\n" + between("<parameter name=%q>\n%s\n</parameter>\n", args) + "</invoke>\n</minimax:tool_call>"
	}},
	{name: "MiniCPM", tagged: true, write: func(tool string, args map[string]any) string {
		return "<function name=\"" + tool + "\">" + between("<param name=%q><![CDATA[%s]]></param>", args) + "</function>"
	}},
	{name: "Step 3", tagged: true, write: func(tool string, args map[string]any) string {
		return "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"" + tool + "\">" + between("<steptml:parameter name=%q>\n%s\n</steptml:parameter>", args) + "</steptml:invoke><｜tool_call_end｜>"
	}},
	{name: "GLM", tagged: true, write: func(tool string, args map[string]any) string {
		return "<tool_call>" + tool + "\n" + between("<arg_key>%s</arg_key>\n<arg_value>%s</arg_value>\n", args) + "</tool_call>"
	}},
	{name: "Hunyuan 3", tagged: true, write: func(tool string, args map[string]any) string {
		return "<tool_calls:opensource><tool_call:opensource>" + tool + "<tool_sep:opensource>" +
			between("<arg_key:opensource>%s</arg_key:opensource><arg_value:opensource>%s</arg_value:opensource>", args) + "</tool_call:opensource></tool_calls:opensource>"
	}},
	{name: "DeepSeek 3.2", tagged: true, write: func(tool string, args map[string]any) string {
		return "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"" + tool + "\">\n" + typedParameters("DSML", args) + "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
	}},
	{name: "GigaChat 3.5", tagged: true, write: func(tool string, args map[string]any) string {
		return "<｜GCML｜tool_calls>\n<｜GCML｜invoke name=\"" + tool + "\">\n" + typedParameters("GCML", args) + "</｜GCML｜invoke>\n</｜GCML｜tool_calls>"
	}},
	{name: "MiniMax M3", tagged: true, write: func(tool string, args map[string]any) string {
		return betweenTags + "<tool_call>\n" + betweenTags + "<invoke name=\"" + tool + "\">" + elementsOf(args) + betweenTags + "</invoke>\n" + betweenTags + "</tool_call>"
	}},
	{name: "Kimi K3", tagged: true, write: func(tool string, args map[string]any) string {
		var b strings.Builder
		for _, key := range slices.Sorted(maps.Keys(args)) {
			kind, text := "string", ""
			if s, ok := args[key].(string); ok {
				text = s
			} else {
				kind, text = "json", asJSON(args[key])
			}
			fmt.Fprintf(&b, "<|open|>argument key=%q type=%q<|sep|>%s<|close|>argument<|sep|>", key, kind, text)
		}
		return "<|open|>tools<|sep|><|open|>call tool=\"" + tool + "\" index=\"1\"<|sep|>" + b.String() + "<|close|>call<|sep|><|close|>tools<|sep|>"
	}},
}

// elementsOf writes the arguments as elements; what is no text is JSON in them.
func elementsOf(args map[string]any) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(args)) {
		text, ok := args[key].(string)
		if !ok {
			text = asJSON(args[key])
		}
		fmt.Fprintf(&b, "%s<%s>%s%s</%s>", betweenTags, key, text, betweenTags, key)
	}
	return b.String()
}

func typedParameters(family string, args map[string]any) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(args)) {
		text, ok := args[key].(string)
		if !ok {
			text = asJSON(args[key])
		}
		fmt.Fprintf(&b, "<｜%s｜parameter name=%q string=\"%t\">%s</｜%s｜parameter>\n", family, key, ok, text, family)
	}
	return b.String()
}

// drawn are arguments of every kind: command is a text with line feeds, quotation marks,
// characters of other scripts and what looks like marks; the rest are of other types.
func drawn(t *rapid.T, tagged bool) map[string]any {
	parts := []string{"ls -l", " ", "\n", "\"", "'", "\\", "\t", "é", "日本", "😀", "{", "}", "[1]", "$(x)", "a=b", "<b>", "&amp;", "`", "|", "null", "true", ":", ","}
	if !tagged {
		parts = append(parts, "</tool_call>", "<tool_call>", "</function>", "[TOOL_CALLS]", "<|tool_call_end|>", "```", "</think>", "<|call|>", "]]>")
	}
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 8).Draw(t, "parts"), "")
	})
	args := map[string]any{"command": "x" + text.Draw(t, "command")}
	if rapid.Bool().Draw(t, "n") {
		args["n"] = float64(rapid.IntRange(-1000, 1000000).Draw(t, "number"))
	}
	if rapid.Bool().Draw(t, "wait") {
		args["wait"] = rapid.Bool().Draw(t, "flag")
	}
	nested := func() string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts[:14]), 0, 4).Draw(t, "nested"), "")
	}
	if rapid.Bool().Draw(t, "env") {
		args["env"] = map[string]any{"A": nested(), "b": map[string]any{"c": []any{1.5, nil, true, nested()}}}
	}
	if rapid.Bool().Draw(t, "list") {
		args["list"] = []any{nested(), -7.0, []any{}, map[string]any{}}
	}
	return args
}

// TestArgumentsSurvive: what a model of any family has written is what its call has,
// however the reply comes in pieces.
func TestArgumentsSurvive(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				args := drawn(t, w.tagged)
				reply := w.write("run", args)
				cut := rapid.IntRange(0, len(reply)).Draw(t, "cut")
				p := NewParser(shop)
				p.Push(reply[:cut])
				p.Push(reply[cut:])
				got := p.End()
				if len(got.Calls) != 1 || got.Calls[0].Invalid != "" || got.Text != "" {
					t.Fatalf("%q:\n%+v", reply, got)
				}
				var read map[string]any
				if err := json.Unmarshal(got.Calls[0].Arguments, &read); err != nil || asJSON(read) != asJSON(args) || got.Calls[0].Name != "run" {
					t.Fatalf("%q:\n%s%s\nwant %s", reply, got.Calls[0].Name, got.Calls[0].Arguments, asJSON(args))
				}
			})
		})
	}
}

// TestNothingRunsThatIsNotWhole: cut anywhere, a call of any family is invalid or no call;
// what it has of arguments is never taken for all of them.
func TestNothingRunsThatIsNotWhole(t *testing.T) {
	args := map[string]any{"command": "rm -rf /tmp/x", "list": []any{"a", "b"}, "n": 4.0}
	for _, w := range writers {
		reply := w.write("run", args)
		for cut := range len(reply) {
			for _, c := range Parse(shop, reply[:cut]).Calls {
				var read map[string]any
				if c.Invalid == "" && (json.Unmarshal(c.Arguments, &read) != nil || asJSON(read) != asJSON(args)) {
					t.Errorf("%s, cut at %d: %s%s", w.name, cut, c.Name, c.Arguments)
				}
			}
		}
	}
}

// TestALostMarkChangesNoArgument: without any one of its marks, tags or brackets, a call of
// any family has the same arguments, or is none.
func TestALostMarkChangesNoArgument(t *testing.T) {
	args := map[string]any{"command": "rm -rf /tmp/x", "list": []any{"a", "b"}, "n": 4.0, "wait": true}
	marks := regexp.MustCompile(`<[^<>!]*>|\[[A-Z_]+\]|[{}"\[\](),:=]`)
	for _, w := range writers {
		two := w.write("run", args) + "\n" + w.write("read_file", map[string]any{"path": "/y"})
		for _, reply := range []string{w.write("run", args), two} {
			for _, at := range marks.FindAllStringIndex(reply, -1) {
				broken := reply[:at[0]] + reply[at[1]:]
				for _, c := range Parse(shop, broken).Calls {
					var read map[string]any
					_ = json.Unmarshal(c.Arguments, &read)
					if c.Invalid == "" && asJSON(read) != asJSON(args) && asJSON(read) != `{"path":"/y"}` {
						t.Errorf("%s without %q at %d: %s%s\n%s", w.name, reply[at[0]:at[1]], at[0], c.Name, c.Arguments, broken)
					}
				}
			}
		}
	}
}

// TestWhatIsShownNeverRuns: a call of any family in a code fence, in code within a line, or
// behind a quotation mark.
func TestWhatIsShownNeverRuns(t *testing.T) {
	for _, w := range writers {
		call := w.write("run", map[string]any{"command": "rm -rf /tmp/x"})
		line := strings.ReplaceAll(call, "\n", " ")
		for _, reply := range []string{
			"Like this:\n```\n" + call + "\n```\nThat is all.", "```xml\n" + call + "\n```\nSo it is.", "So:\n~~~~\n" + call + "\n~~~~",
			"Like this:\n```\n" + call, "1. Like this:\n   ```json\n   " + call + "\n   ```\n",
			"Write `` " + line + " `` for it.", "It says \"" + line + "\".", "> " + line,
		} {
			if strings.Contains(call, "```") && strings.Contains(reply, "```") {
				continue // the fence within ends the one around it
			}
			for _, c := range Parse(shop, reply).Calls {
				if c.Invalid == "" {
					t.Errorf("%s: %q runs %s", w.name, reply, c.Arguments)
				}
			}
		}
	}
}

// TestFamiliesStandBesideEachOther: two calls of two families in one reply are both made,
// in their order.
func TestFamiliesStandBesideEachOther(t *testing.T) {
	for i, a := range writers {
		b := writers[(i+7)%len(writers)]
		reply := a.write("run", map[string]any{"command": "first"}) + "\n" + b.write("read_file", map[string]any{"path": "/second"})
		if got := written(Parse(shop, reply).Calls); got != "run{\"command\":\"first\"}\nread_file{\"path\":\"/second\"}" {
			t.Errorf("%s, %s: %q:\n%s", a.name, b.name, reply, got)
		}
	}
}
