// Package plugin is what users add to nod in Lua: tools for the model, hooks and commands.
//
// A plugin is a folder with plugin.toml ([Manifest]) and its code. [Find] reads one from a
// folder or an archive, [Store] keeps those that are installed, and [Load] starts one and
// takes what it registers. [Set] is those that run in a nod, and exchanges them while it
// runs. Their code runs in a process of its own (packages host and lua).
//
// # What a plugin can do
//
// Nothing by itself. Its tools are pure, and what one wants done while it runs is a call
// of one of nod's own tools, which passes the gate as a call of the model's does
// ([tools.Env.Effect]): planned, judged, decided, put on record. Before that, the plan is
// compared with what the plugin has asked for in its manifest. A plugin has no way to
// allow anything.
//
// # Pins
//
// The operator accepts a plugin as it is, by the digest of all its files. One that was
// changed since is not loaded until it is accepted again. What was accepted names the hooks
// that are required, so that they deny also where nothing else of the plugin can be read.
package plugin
