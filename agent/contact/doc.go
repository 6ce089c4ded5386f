// Package contact finds out what a model on a server takes: how much context it really
// has, whether it can be sent tools, several calls in one message and a system prompt.
//
// [Ask] asks the server where it says so: vLLM and SGLang (max_model_len of /v1/models),
// llama.cpp (/props, with the chat template), Ollama (/api/ps, /api/show), LM Studio
// (/api/v0/models), Google (its own list beside the compatible one), and the lists of
// OpenRouter, Mistral, Anthropic, Groq, Together and others. What a server refuses later is
// added to the [Facts] by package model. A [Store] keeps them on disk, so that a refusal
// that was met once is not met again by the next start.
//
// # Promises
//
//   - Nothing is guessed from the name of a model.
//   - What is sent goes to the address of the configuration alone, and holds nothing but
//     the model's name and the key.
//   - Answers are data: numbers outside of what a context can be are not taken.
//   - A Store that cannot write loses what it was to keep, and nothing else. It is safe for
//     concurrent use, also by several processes.
//
// # Design
//
// The trained context (n_ctx_train, context_length of /api/show) is not what a server runs
// a model with, and a prompt beyond that is cut without a word by some. So it is an upper
// bound, never the answer. What a server says of a model that it has not loaded yet is
// marked as Passing, and asked again after the first answer.
package contact
