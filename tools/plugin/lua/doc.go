// Package lua runs a plugin written in Lua 5.1 (gopher-lua), in a process of its own.
//
// [Main] is that process: nod, started again with the argument [Command]. It seals itself
// (confine.Seal) before it reads a line of the plugin's code, and can then do nothing but
// compute and ask its parent, which is package host's other end.
//
// The plugin finds one table, nod: register_tool, register_hook,
// register_command, exec, read_file, write_file, http,
// notify, log, config and json. There is no io, no loadfile and no debug; os has clock,
// date, difftime and time. An error in its code says file and line.
package lua
