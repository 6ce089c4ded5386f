// Package textcall reads the tool calls that models write as text, because they
// were taught to, or because their server does not know how its model writes them.
//
//	p := textcall.NewParser(tools)
//	show(p.Push(piece)) // again and again
//	reply := p.End()    // reply.Text, reply.Calls
//
// # Families
//
// Hermes and Qwen (<tool_call> with JSON), Qwen3-Coder (<function=…>), GLM
// (<arg_key>), Llama 3 and 4 (<|python_tag|>, bare JSON, lists in the manner of
// Python), Mistral ([TOOL_CALLS], both forms), DeepSeek (with its own bars, plain
// ones, and DSML), Kimi, Granite, MiniMax, Seed, Step, Functionary, FireFunction,
// Command-R, Phi, Gemma (call:…{…}, tool_code, <start_function_call>), gpt-oss
// (harmony), InternLM, LFM2, Olmo, Hunyuan, Jamba, Nemotron, Apertus, GigaChat, LongCat,
// MiniCPM, PLaMo, Pangu, HyperCLOVA X, <invoke> as Claude writes it, and ReAct's
// "Action:". All of them count in one reply, in their order.
//
// # Promises
//
//   - How a reply is cut into pieces makes no difference: neither to the calls nor
//     to the text.
//   - What begins like a call and cannot be read, or has no end, is a call with
//     Invalid set. It is neither run nor taken for an answer.
//   - No call has empty arguments unless the model wrote an empty object, or none,
//     for a tool that requires none. Nothing is guessed: an argument that is there
//     twice, or whose string has no certain end, makes the call invalid.
//   - An argument is what the model wrote, to its last line feed: of the line ends
//     around a value only those that its tags stand on are left out.
//   - What only looks like a call is text: in a code fence, in code within a line,
//     in a quotation, in a line of a log. Forms without marks of their own count
//     only for tools that there are, and only if nothing else stands there.
//   - Memory and time are bounded by the length of the reply, which is the caller's
//     to bound; 128 calls at most.
//
// # Design
//
// Each step looks at the beginning of what has not been decided, and either
// decides or waits for more: it never depends on where a piece ended. The end of a
// call is looked for in its value, not in the text: a closing tag within a string
// is a part of the string.
//
// The marks are a table (marks.go). What stands between them is read by one
// reader for all of them, because models mix families up.
package textcall
