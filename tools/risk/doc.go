// Package risk answers one question: what could this command do? It is a pure
// function of the text (or the argument vector, the keys, the path) that reaches
// its own verdict, so that a claim made elsewhere about the same action can be
// checked against it. It runs nothing, opens nothing and remembers nothing.
//
// # What it promises
//
//   - A verdict is Auto only when its effect is Observe, it has no flag, it
//     sends nothing to another host, and every part of the text was understood:
//     parsed in the shell's dialect, with every program, sub-command, option and
//     kind of operand on the list of what is permitted. Whatever is not
//     understood is not auto.
//   - The zero Verdict is not auto and counts as the strongest.
//   - Findings carry byte offsets into the assessed text. What lies inside a
//     nested text (sh -c '…', ssh host '…') has the span of the word that holds
//     the nested text.
//   - Input is bounded: 8 KiB of text, limited nesting, limited work. Beyond
//     the bounds a text is opaque.
//   - All functions are safe for concurrent use. None returns an error: what
//     cannot be assessed is a verdict, too.
//
// # Other hosts
//
// Asking is sending: the path of an address, the labels of a name that is looked
// up and the name of a bucket all reach somebody. A verdict lists the hosts that
// an action is known to talk to (Reaches), this one left out. With any, it is not
// Auto; it is Plain if nothing else is in the way, so that whoever knows which
// hosts are the operator's own can let it pass. What is put together on the way,
// or long enough to carry a file away, is exfil and never Plain.
//
// Clusters, clouds, package sources and container engines are reached by the
// account's own settings and do not count, as long as the text names no other.
//
// # In a cage
//
// What runs where it can change nothing (package backends/confine) still has to
// answer. Needs are the doors that the programs are known to use. Unread tells what
// is merely not understood from what is known to act. InShell marks what belongs to
// the shell that reads it and means nothing in another.
//
// # Cost
//
// What reads a device without an end, loops without waiting or holds a server up is
// Costly. It is not Auto; where processor, memory and time are limited, it may run.
//
// # Evidence
//
// TestEvidence runs what the tables call automatic, as nobody and traced, and fails for
// a write or a connection that they do not say (make evidence).
//
// # What a folder's configuration runs
//
// git, hg, npm, terraform, docker compose, vagrant, cargo and their like run, or
// fetch, what a file in the folder names, whichever question they are asked.
// Whoever can write there decides what runs. They are RuleFolder and never Auto,
// but for the few questions that TestWhatGitRuns shows to be harmless. make,
// interpreters, build tools and ldd count as running code.
//
// # What it does not know
//
// The target's aliases, functions, links, PATH and file contents, and what the
// account and the system have configured for themselves: PAGER and LESSOPEN,
// ~/.ssh/config with its ProxyCommand, ~/.curlrc, ~/.wgetrc, ~/.psqlrc, ~/.my.cnf,
// ~/.inputrc, ~/.kube/config with its exec plugins, ~/.aws/config with its
// credential_process, docker's context. Whoever can change those has the account
// already; a command that sets one of these variables, or names another file in
// their place, is not auto. A program is known by its base name when it is called
// by that name or from one of the system's folders. A symbolic link with an
// innocent name is read as that name.
//
// An address that is fetched counts as plain when it is a fixed, short http(s)
// address without query or credentials (curl with GET or HEAD to standard
// output); anything longer could itself carry data away and is exfil.
//
// # Design
//
// Options and sub-commands are permitted, never forbidden: a list of forbidden
// ones is wrong on the day a program learns a new one. What programs are lives
// in data files (data/README.md), one per family; only the programs whose
// arguments are a language of their own (find, tar, awk, sed, shells) have code.
// Paths are judged by what they are, whatever program is given them.
//
// Variables that the text itself sets to fixed values are followed, and short
// loops over fixed words are assessed word by word, because operators write
// such loops. Everything else that a shell puts together when it runs is a hole
// in the word, and a hole is only accepted where any value at all is harmless.
package risk
