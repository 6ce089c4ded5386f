// Package desk holds the tools that touch no target: what a model would
// otherwise have on its own desk. Now that is the time.
package desk
