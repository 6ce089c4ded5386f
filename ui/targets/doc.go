// Package targets is the picker of the places where commands run: this machine,
// hosts, containers.
//
// A [Picker] shows a list of [Target] values that the console hands to it anew
// whenever something has changed; what is typed filters it. It knows no target:
// what is chosen comes back as a [Choice]. What is in use stands first, then what was used
// last.
//
// Rows for something else ([Offer]) come up when their letter or their name is typed. No
// letter does anything by itself: the names of targets begin with all of them.
//
// A Picker belongs to one goroutine.
package targets
