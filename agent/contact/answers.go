package contact

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fields is a JSON object of which each server has others. A field of an unexpected kind
// is as good as none.
type fields map[string]json.RawMessage

// text returns a field that is a string; else empty.
func (f fields) text(name string) string {
	var s string
	_ = json.Unmarshal(f[name], &s) // empty, then
	return s
}

// count returns a field that is a number of tokens, or 0.
func (f fields) count(name string) int { return tokens(strings.Trim(string(f[name]), `"`)) }

// words returns a field that is a list of strings. A list with other values counts as
// one that is not there.
func (f fields) words(name string) (list []string, ok bool) {
	raw := f[name]
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	return list, true
}

// inner returns a field that is an object; else an empty one.
func (f fields) inner(name string) fields {
	var in fields
	_ = json.Unmarshal(f[name], &in) // empty, then
	return in
}

// is returns a field that is a truth value; known is false for all others.
func (f fields) is(name string) (yes, known bool) {
	known = json.Unmarshal(f[name], &yes) == nil && string(f[name]) != "null"
	return yes, known
}

// What a context can be, in tokens.
const (
	smallest = 256
	largest  = 1 << 27
)

func plausible(context int) bool { return context >= smallest && context <= largest }

// tokens reads a number of tokens; what no context can be is 0.
func tokens(text string) int {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < smallest || v > largest {
		return 0
	}
	return int(v)
}

// names are what a model in a list is called.
func (f fields) names() []string {
	also, _ := f.words("aliases")
	return append([]string{f.text("id")}, also...)
}

// contextFields are where a list says the context that a model is run with, and who does
// so.
var contextFields = []struct{ field, server string }{
	{"max_model_len", ""},             // vLLM, SGLang: owned_by says which
	{"loaded_context_length", ""},     // LM Studio
	{"max_context_length", "Mistral"}, // LM Studio has it, too: trained
	{"context_length", ""},            // OpenRouter, Together, DeepInfra
	{"context_window", ""},            // Groq
	{"max_input_tokens", "Anthropic"},
	{"inputTokenLimit", "Google"},
}

// context is what an entry of a list says of the context, and in which field.
func (f fields) context() (size int, field, server string) {
	for _, c := range contextFields {
		if size = f.count(c.field); size > 0 {
			return size, c.field, c.server
		}
	}
	if size = f.inner("meta").count("n_ctx"); size > 0 { // llama.cpp, of late
		return size, "meta.n_ctx", ""
	}
	return 0, "", ""
}

// owners are the programs that say who they are in owned_by.
var owners = map[string]string{
	"vllm": "vLLM", "sglang": "SGLang", "llamacpp": "llama.cpp", "library": "Ollama", "organization_owner": "LM Studio",
	"google": "Google", "mistralai": "Mistral",
}

// facts are what an entry of a list says.
func (f fields) facts() Facts {
	size, field, server := f.context()
	got := Facts{Server: owners[f.text("owned_by")], Context: size, Source: field}
	if got.Server == "" {
		got.Server = server
	}
	if top := f.inner("top_provider").count("context_length"); top > 0 { // OpenRouter: the one that is asked first
		got.Server = "OpenRouter"
		if size == 0 || top < size {
			got.Context, got.Source = top, "top_provider.context_length"
		}
	}
	if can, ok := f.words("supported_parameters"); ok && !slices.Contains(can, "tools") {
		got.Refuses.Tools = true
	}
	if calls, known := f.inner("capabilities").is("function_calling"); known && !calls {
		got.Refuses.Tools = true
	}
	return got
}

// studioFacts are what LM Studio says of a model. What it trains to is not what it is
// loaded with.
func studioFacts(f fields) Facts {
	got := Facts{Server: "LM Studio"}
	if size := f.count("loaded_context_length"); size > 0 {
		got.Context, got.Source = size, "loaded_context_length"
		return got
	}
	got.Context, got.Source, got.Passing = unloaded(f.count("max_context_length")), "what LM Studio loads with", true
	return got
}

// unloadedContext is what Ollama and LM Studio load a model with unless they are told
// otherwise, in tokens. Machines with much memory get more.
const unloadedContext = 4096

// unloaded is the context that a model is taken to be loaded with; most is what it was
// trained for, 0 if that is not known.
func unloaded(most int) int {
	if most > 0 {
		return min(most, unloadedContext)
	}
	return unloadedContext
}

// llamaFacts are what /props of llama.cpp says; false if it is another program's.
func llamaFacts(p fields) (Facts, bool) {
	size := p.inner("default_generation_settings").count("n_ctx")
	template := p.text("chat_template")
	if size == 0 && template == "" {
		return Facts{}, false
	}
	f := Facts{Server: "llama.cpp", Context: size, Source: "n_ctx of /props", Refuses: ofTemplate(template)}
	if build := p.text("build_info"); build != "" && len(build) < 40 {
		f.Server += " " + build
	}
	can := p.inner("chat_template_caps")
	if many, known := can.is("supports_parallel_tool_calls"); known && !many {
		f.Refuses.ManyCalls = true
	}
	if system, known := can.is("supports_system_role"); known && !system {
		f.Refuses.SystemRole = true
	}
	return f, true
}

// ollamaFacts are what /api/show and /api/ps say. loaded is the context that the model
// runs with, 0 if it is not loaded.
func ollamaFacts(show fields, loaded int) Facts {
	f := Facts{Server: "Ollama"}
	if can, ok := show.words("capabilities"); ok && !slices.Contains(can, "tools") {
		f.Refuses.Tools = true
	}
	info := show.inner("model_info")
	trained := info.count(info.text("general.architecture") + ".context_length")
	set := 0
	for line := range strings.Lines(show.text("parameters")) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "num_ctx" {
			set = tokens(words[1])
		}
	}
	switch {
	case loaded > 0:
		f.Context, f.Source = loaded, "context_length of /api/ps"
	case set > 0:
		f.Context, f.Source = set, "num_ctx of the model"
		if trained > 0 {
			f.Context = min(set, trained)
		}
	default:
		f.Context, f.Source, f.Passing = unloaded(trained), fmt.Sprintf("what Ollama loads with; at most %d", trained), true
	}
	return f
}
