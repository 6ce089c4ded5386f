package main

import (
	"regexp"
	"slices"
	"strings"
)

// switches finds what switches a mode of the terminal: DEC's private modes, the two
// protocols for keys with modifiers, and the keypad's mode.
var switches = regexp.MustCompile(`\x1b(?:\[\?([0-9;]+)([hl])|\[>4(?:;([0-9]+))?([mn])|\[([<>])[0-9;]*u|([=>]))`)

// left names the modes that a program has switched from what they are on a terminal
// at rest, and not switched back.
func left(stream []byte) []string {
	on := map[string]bool{"?7": true, "?25": true} // lines wrap, the cursor shows
	rest := map[string]bool{"?7": true, "?25": true}
	kitty := 0
	for _, m := range switches.FindAllSubmatch(stream, -1) {
		switch {
		case len(m[1]) > 0:
			for mode := range strings.SplitSeq(string(m[1]), ";") {
				on["?"+mode] = m[2][0] == 'h'
			}
		case len(m[4]) > 0:
			on["modifyOtherKeys"] = m[4][0] == 'm' && len(m[3]) > 0 && m[3][0] != '0'
		case len(m[5]) > 0:
			if kitty++; m[5][0] == '<' {
				kitty -= 2
			}
		default:
			on["keypad"] = m[6][0] == '='
		}
	}
	on["kitty keys"] = kitty > 0
	var names []string
	for mode, is := range on {
		if is != rest[mode] && mode != "?12" { // whether the cursor blinks is anyone's choice
			names = append(names, mode)
		}
	}
	slices.Sort(names)
	return names
}

// union is the names of both, each once.
func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
