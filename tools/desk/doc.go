// Package desk holds the tools that touch no target: what a model would
// otherwise have on its own desk: the time, what is to be done, a question to the
// operator, what it remembers, its skills, sub-agents that it sends.
package desk
