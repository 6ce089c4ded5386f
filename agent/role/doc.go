// Package role reads the types of sub-agents: what each is for, which tools it has,
// which model answers it, and how it works.
//
// A type is a TOML file in a folder of the operator's:
//
//	name = "logs"
//	description = "reads logs and says what went wrong, with times"
//	tools = ["run_shell", "grep", "read_file"]   # left out: all that the sender has
//	read_only = true                             # only plain observations run
//	model = "small"                              # a [model.NAME]; left out: the sender's
//	max_iterations = 10                          # left out: as [agent] says
//	prompt = """
//	Look at the newest entries first.
//	"""
//
// [Find] returns those of a folder and the built-in ones, by name. A file that
// cannot be used stays in the list with its Fault, which names file and line;
// nothing of it is used. A file may replace a built-in type.
//
// Values may be shared between goroutines as long as nobody changes them.
//
// # Design
//
// Reading is strict: a key that nobody knows is an error and not ignored, since a
// misspelt "read_only" would widen what the sub-agent may do. The folder is read
// anew each time, so that a change holds from the next request on.
package role
