package textcall

import "strings"

// form says how what follows a mark is read.
type form uint8

const (
	nothing  form = iota // the mark is a token that says nothing
	tagged               // up to one of its ends
	values               // JSON, or calls in brackets, up to its own end; an end mark may follow
	mistral              // JSON, or name[ARGS]{…}
	begun                // name, separator, JSON: Kimi's and DeepSeek's
	harmony              // a header, <|message|> and a text
	python               // calls as lines of Python, up to an end
	keyed                // JSON with the tools' names as keys: Apertus'
	channels             // Kimi K3's
	elements             // MiniMax M3's
)

// mark is what calls begin with.
type mark struct {
	open string
	form form
	ends []string // of tagged, values and python
}

// marks are all of them; of two that begin alike, the longer comes first.
var marks = sorted(concat(
	// Hermes, Qwen, GLM, Gemma, Granite, Phi, MiniMax, Seed, Hunyuan, Jamba, Claude.
	[]mark{
		{"<tool_call>", tagged, toolEnds}, {"<|tool_call>", tagged, toolEnds}, {"<|tool_call|>", tagged, toolEnds},
		{"<minimax:tool_call>", tagged, []string{"</minimax:tool_call>"}}, {"<seed:tool_call>", tagged, []string{"</seed:tool_call>"}},
		{"<tool_calls>", tagged, []string{"</tool_calls>"}}, {"<tools>", tagged, []string{"</tools>"}},
		{"<tool_use>", tagged, []string{"</tool_use>"}}, {"<TOOLCALL>", tagged, []string{"</TOOLCALL>"}},
		{"<function_calls>", tagged, []string{"</function_calls>"}}, {"<invoke name=", tagged, []string{"</invoke>"}},
		{"<function=", tagged, []string{"</function>"}}, {"<function name=", tagged, []string{"</function>"}},
		{"<functionĠname=", tagged, []string{"</function>"}}, {"<functionname=", tagged, []string{"</function>"}},
		{"<longcat_tool_call>", tagged, []string{"</longcat_tool_call>"}}, {"<tool_call:opensource>", tagged, []string{"</tool_call:opensource>"}},
		{plamo, tagged, []string{"<|plamo:end_tool_request:plamo|>"}},
		{betweenTags + "<tool_call>", elements, []string{betweenTags + "</tool_call>"}},
		{"<|open|>tools<|sep|>", channels, []string{"<|close|>tools<|sep|>"}},
		{"<start_function_call>", tagged, []string{"<end_function_call>"}},
		{"<|action_start|>", tagged, []string{"<|action_end|>"}},
		{"<|START_ACTION|>", values, []string{"<|END_ACTION|>"}},
		{"<|tool_call_start|>", python, []string{"<|tool_call_end|>"}}, {"<|python_start|>", python, []string{"<|python_end|>"}},
		{"<|python_tag|>", python, []string{"<|eom_id|>", "<|eot_id|>", "<|python_tag|>"}},
		{"<function_call>", values, []string{"</function_call>"}}, {"<functioncall>", values, []string{"</functioncall>"}},
		{"<|function_call|>", values, []string{"<|message_sep|>"}},
		{"<|tools_prefix|>", keyed, []string{"<|tools_suffix|>"}},
		{"[TOOL_CALLS]", mistral, nil},
		{"<|channel|>", harmony, nil}, {"<|start|>assistant", harmony, nil}, {"<|start|> assistant", harmony, nil},
	},
	barred("DSML", "GCML"),
	each(begun, "tool_call_begin"), each(nothing, "tool_calls_section_begin", "tool_calls_section_end", "tool_call_section_begin",
		"tool_call_section_end", "tool_calls_begin", "tool_calls_end", "tool_call_end"),
	tokens("<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end_of_text|>", "<|end|>", "<|return|>", "<|call|>", "<|plugin|>", "<|role_end|>",
		"<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>", "<|END_OF_TURN_TOKEN|>", "<end_of_turn>", "<｜end▁of▁sentence｜>", "<|message_sep|>",
		"<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>", "<|plamo:tag|>", "<tool_calls:opensource>", "</tool_calls:opensource>", "<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>",
		"</tool_call>", "<tool_call|>", "<|/tool_call|>", "</tool_calls>", "</function_calls>", "</minimax:tool_call>", "<end_function_call>"),
))

// toolEnds end what any of the three marks begins that mean a tool call: models
// mix them up.
var toolEnds = []string{"</tool_call>", "<tool_call|>", "<|/tool_call|>", "</tool_call|>"}

// spellings are those of a token of Kimi's and DeepSeek's: with bars and spaces
// of their own, or with what servers make of them.
func spellings(name string) []string {
	var all []string
	for _, gap := range []string{"_", "▁", " ", `\_`} {
		own := strings.ReplaceAll(name, "_", gap)
		all = append(all, "<|"+own+"|>", "<｜"+own+"｜>")
	}
	return all
}

// barred are the marks of families that write their own name between bars into each tag.
func barred(families ...string) []mark {
	var all []mark
	for _, family := range families {
		for _, bar := range []string{"|", "｜"} {
			own := bar + family + bar
			for _, outer := range []string{"function_calls", "tool_calls"} {
				all = append(all, mark{"<" + own + outer + ">", tagged, []string{"</" + own + outer + ">"}})
			}
			all = append(all, mark{"<" + own + "invoke name=", tagged, []string{"</" + own + "invoke>"}})
		}
	}
	return all
}

func each(f form, names ...string) []mark {
	var all []mark
	for _, n := range names {
		for _, s := range spellings(n) {
			all = append(all, mark{open: s, form: f})
		}
	}
	return all
}

func tokens(names ...string) []mark {
	var all []mark
	for _, n := range names {
		all = append(all, mark{open: n})
	}
	return all
}

func concat(lists ...[]mark) []mark {
	var all []mark
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func sorted(all []mark) []mark {
	// Longer ones first, so that a mark is never taken for its beginning.
	for i := range all {
		for j := i; j > 0 && len(all[j].open) > len(all[j-1].open); j-- {
			all[j], all[j-1] = all[j-1], all[j]
		}
	}
	return all
}

// markOf finds the mark that s begins with. maybe is set if s is too short to
// tell.
func markOf(s string) (m mark, found, maybe bool) {
	for _, m := range marks {
		if len(s) >= len(m.open) {
			if s[:len(m.open)] == m.open {
				return m, true, maybe
			}
		} else if m.open[:len(s)] == s {
			maybe = true
		}
	}
	return mark{}, false, maybe
}

// first is where the first of several texts stands in s, from a place on, and
// which it is; -1 if none does.
func first(s string, from int, of []string) (at int, which string) {
	at = -1
	for _, o := range of {
		if i := strings.Index(s[from:], o); i >= 0 && (at < 0 || i+from < at) {
			at, which = i+from, o
		}
	}
	return at, which
}

// partial is how much of s's end may be the beginning of one of the texts.
func partial(s string, of []string) int {
	most := 0
	for _, o := range of {
		for n := min(len(o)-1, len(s)); n > most; n-- {
			if strings.HasSuffix(s, o[:n]) {
				most = n
			}
		}
	}
	return most
}
