// Package themes holds the palettes of the console: which colour and weight
// each role of the screen has.
//
// A theme is one TOML file of this folder, named after itself. It says a style
// for every [Role], in words:
//
//	text      = "default"
//	danger    = "red bold"
//	selection = "black on #ffd787"
//
// A style is a colour, optionally "on" a second one for the background, and
// any of bold, dim, italic, underline and reverse, in any order. A colour is
// "default" (the terminal's own), one of the sixteen ANSI names ("red",
// "bright-black"), an index of the 256-colour palette ("238"), or "#rrggbb".
//
// The table "rich" holds other styles for terminals of 256 colours and more ([Rich]);
// [Eight] turns a theme into one for eight.
//
// Loading is strict: a role that does not exist, a role that is missing and a
// word that is not understood are errors that name the theme, the role and the
// nearest known word.
//
// # Ground
//
// Two names depend on the ground of the terminal, light or dark ([On]): "ansi", the
// default, leaves out the colours that a light ground swallows, and "auto" stands for
// "dark" or "light". Package ui/screen asks the terminal.
//
// # Design
//
// The package knows no terminal library. Colours are plain values, and package
// ui/screen turns them into what the terminal at hand can show; it also honours
// NO_COLOR. Themes never carry meaning alone: whatever a colour says is said in
// words or signs as well.
package themes
