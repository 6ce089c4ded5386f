package model

// family is how models of one family mark what they think.
type family struct {
	open  string
	close []string
	// opening says that it is words, which count only at the beginning of a reply.
	opening bool
}

// families are all that are known: words in the brackets in use, and those that are
// written in another way.
var families = makeFamilies()

// tagBytes are the bytes that an opening tag may begin with.
const tagBytes = "<[H\xe2"

func makeFamilies() []family {
	var all []family
	for _, word := range []string{
		"think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "inner_monologue", "internal_monologue",
		"seed:think", "mm:think", "think:opensource", "deepthink", "antml:thinking", "longcat_think", "think_fast", "think_faster",
	} {
		all = append(all,
			family{open: "<" + word + ">", close: []string{"</" + word + ">"}},
			family{open: "[" + word + "]", close: []string{"[/" + word + "]"}},
			family{open: "◁" + word + "▷", close: []string{"◁/" + word + "▷"}},
			family{open: "<|" + word + "|>", close: []string{"<|/" + word + "|>", "</|" + word + "|>", "<|end|>", "<|end_" + word + "|>"}},
			family{open: "<|" + word + "_start|>", close: []string{"<|" + word + "_end|>"}},
			family{open: "<|" + word + "_begin|>", close: []string{"<|" + word + "_end|>"}},
			family{open: "<|start_" + word + "|>", close: []string{"<|end_" + word + "|>"}},
			family{open: "<|begin_of_" + word + "|>", close: []string{"<|end_of_" + word + "|>"}},
			family{open: "<|start_of_" + word + "|>", close: []string{"<|end_of_" + word + "|>"}},
		)
	}
	// Some models open with one of the two and close with the other.
	for i := range all {
		switch all[i].open {
		case "<think>":
			all[i].close = append(all[i].close, "</thinking>")
		case "<thinking>":
			all[i].close = append(all[i].close, "</think>")
		}
	}
	return append(all,
		family{open: "<|open|>think<|sep|>", close: []string{"<|close|>think<|sep|>"}},                         // Kimi K3
		family{open: "<|plamo:begin_think:plamo|>", close: []string{"<|plamo:end_think:plamo|>"}},              // PLaMo 3
		family{open: "<|inner_prefix|>", close: []string{"<|inner_suffix|>"}},                                  // Apertus
		family{open: "<|channel>thought", close: []string{"<channel|>"}},                                       // Gemma 4
		family{open: "<unused94>thought", close: []string{"<unused95>"}},                                       // MedGemma
		family{open: "Here is my thought process:", close: []string{"Here is my response:"}, opening: true},    // Granite 3.2
		family{open: "Here's my thought process:", close: []string{"Here's my response:"}, opening: true},      // Granite 3.2
		family{open: "Here are my reasoning steps:", close: []string{"[BEGIN FINAL RESPONSE]"}, opening: true}, // Apriel
	)
}

// mayStandAlone reports whether a closing tag can do without its opening one, which
// then was part of the prompt. "<|end|>" ends answers as well, and words are said.
func (f *family) mayStandAlone(tag string) bool {
	return tag != "<|end|>" && (!f.opening || tag[0] == '[')
}

// closes returns the length of the closing tag that in begins with, or whether in is too
// short to tell.
func (f *family) closes(in string) (length int, maybe bool) {
	for _, tag := range f.close {
		n, more := hasFold(in, tag)
		if n > 0 {
			return n, false
		}
		maybe = maybe || more
	}
	return 0, maybe
}
