package nodeset

import (
	"cmp"
	"slices"
	"strings"
)

// Fold writes names as one expression: web[01-03],db1. What differs in the last number of
// the name alone, before a port, is written together. The order of names does not matter,
// and each counts once.
func Fold(names []string) string {
	type stem struct {
		before, behind string
		plain          bool // no number is between them
	}
	stems := map[stem][]string{} // the digits, by what is around them
	var order []stem
	for _, name := range names {
		before, digits, behind := parts(name)
		at := stem{before, behind, digits == ""}
		if stems[at] == nil {
			order = append(order, at)
		}
		stems[at] = append(stems[at], digits)
	}
	slices.SortFunc(order, func(a, b stem) int {
		return cmp.Or(strings.Compare(a.before, b.before), strings.Compare(a.behind, b.behind))
	})
	var elements []string
	for _, at := range order {
		all := stems[at]
		slices.SortFunc(all, byValue)
		all = slices.Compact(all)
		numbers := all[0]
		if len(all) > 1 {
			numbers = "[" + strings.Join(spans(all), ",") + "]"
		}
		elements = append(elements, at.before+numbers+at.behind)
	}
	return strings.Join(elements, ",")
}

// parts takes a name apart at its last number that is no port. digits is empty if it has
// none, or if brackets stand in the name, which is an address then.
func parts(name string) (before, digits, behind string) {
	const figures = "0123456789"
	before = name
	if strings.ContainsAny(name, "[]") {
		return name, "", ""
	}
	if at := strings.LastIndexByte(name, ':'); at > 0 && strings.Count(name, ":") > 1 && strings.Trim(name[at+1:], figures) == "" {
		before, behind = name[:at], name[at:]
	}
	end := strings.LastIndexAny(before, figures) + 1
	if end == 0 {
		return before + behind, "", ""
	}
	start := len(strings.TrimRight(before[:end], figures))
	if end-start > 15 { // no number that could be counted
		return before + behind, "", ""
	}
	return before[:start], before[start:end], before[end:] + behind
}

// byValue orders digits by the number that they are.
func byValue(a, b string) int {
	x, _ := number(a) // digits, or none: 0
	y, _ := number(b)
	return cmp.Or(x-y, len(a)-len(b))
}

// spans are sorted digits as ranges: what follows without a gap and is written as the range
// would write it is one.
func spans(all []string) []string {
	var found []string
	for from := 0; from < len(all); {
		low, _ := number(all[from]) // digits
		to := from
		for to+1 < len(all) && all[to+1] == padded(low+to+1-from, width(all[from])) {
			to++
		}
		span := all[from]
		if to > from {
			span += "-" + all[to]
		}
		found = append(found, span)
		from = to + 1
	}
	return found
}
