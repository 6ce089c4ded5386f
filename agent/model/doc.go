// Package model is a streaming client for language models behind an OpenAI-compatible
// chat-completions API: OpenAI, OpenRouter, the compatible endpoints of Anthropic and
// Google, Ollama, llama.cpp, vLLM, LM Studio, and everything else that speaks it.
//
// Use a Client for every conversation with a model. Do not use the go-openai library
// beside it: the library alone takes a reply that was cut in the middle of a command for
// a finished one.
//
// # Promises
//
//   - No call without an end: a Reply has calls only when the stream finished with a
//     finish_reason, and a call has Arguments only when they parse as one JSON object. A
//     stream that was cut, at whatever byte, gives an error and no calls.
//   - Order: Client.Stream is synchronous. The sink runs on the caller's goroutine and sees
//     the deltas in the server's order.
//   - Errors: the context's own, or an *Error with a Kind, a sentence and a Hint. Server
//     text in it is one line of printable characters, at most 300, without the key.
//   - Bounds: 4 MiB a line, 16 MiB a reply (text, reasoning and arguments), 256 MiB a
//     stream, 128 calls, 60 s until the response begins, 90 s of silence within it.
//   - Retries happen only before anything of a reply was shown: 408, 429, 5xx, resets and
//     empty answers, 4 tries, with jitter; Retry-After is kept up to 60 s and reported
//     beyond that.
//   - Redirects are never followed: they would send the conversation, and the key, elsewhere.
//   - Cancelling the context ends Stream at once; the text so far is returned, the calls
//     are dropped.
//   - Concurrency: a Client is safe for concurrent use and starts no goroutine that
//     outlives a call. Client.Close lets go of idle connections.
//
// # Design
//
// One HTTPDoer stands between go-openai and the network (exchange.go). It reads the
// event stream itself (sse.go), checks every chunk, translates what servers write
// differently (frame.go), and hands the library one sound chunk per line. So the library
// keeps what it is good at, the protocol's types, and every hole that was measured in its
// reader is closed in one place: the end without finish_reason, HTML with status 200, error
// objects in any chunk, keep-alive comments, endless lines.
//
// A transport can be given instead of the network, which is how a responder inside the
// process is used through the very same client.
//
// Which optional fields a server rejects is learnt from its own error message, once per
// client (request.go), rather than from a table of servers that would age.
package model
