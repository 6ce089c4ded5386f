package policy

import "github.com/nod-console/nod/backends/confine"

// hold lets a command of the operator's run unasked that is held by the kernel: it can
// change nothing, connect nowhere and leave nothing behind. What it reads goes to the
// operator alone. What a rule says holds all the same.
func hold(x *Explanation, p Proposal) {
	if p.Action.Wall == confine.None || !p.Operator || x.strict || x.Ruling != Ask && x.Ruling != Type {
		return
	}
	x.Ruling, x.How = Allow, ByWall
	x.Why = "it is held (" + p.Action.Wall.String() + "): it cannot change anything"
}
