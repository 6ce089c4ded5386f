// Package jsagent is agents that users write in JavaScript: a folder with agent.yaml
// ([Manifest]) and main.js.
//
// [Read] reads one, [Store] keeps those that are installed, and [Open] makes a [Run] of
// one: its process (packages host and js), in which [Run.Main] evaluates main.js, and whose
// tools ([Run.Tools]) a model is offered then.
//
// # What an agent can do
//
// Nothing by itself. What its code wants done is a call of one of nod's own tools on this
// machine, which passes the gate as a call of the model's does ([tools.Env.Effect]):
// planned, judged, decided, put on record. Before that, the plan is compared with the
// permissions in agent.yaml. An agent has no way to allow anything.
//
//	run_command, spawn                 run_shell
//	fetch, http_get                    fetch_url
//	http_post, fetch with more         run_shell, with curl
//	fs.read_text, fs.write_text        read_file, write_file
//	fs.list_dir, fs.is_dir, fs.mkdir   run_shell, with ls, test and mkdir
//
// # A run
//
// A process has one run. One that was ended is started again, but what main.js had
// registered is gone, and its tools say so.
package jsagent
