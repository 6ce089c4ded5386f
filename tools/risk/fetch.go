package risk

// Fetch assesses asking a server on the network for a URL. It changes nothing
// here, and tells the server what is asked: the verdict is auto only for whoever
// knows that the host is the operator's own (see Verdict.Plain).
func Fetch(url string) Verdict {
	a := &assessor{effect: Observe, plainText: true}
	w := word{text: url, end: len(url), quoted: true}
	a.reach(w)
	if len(a.reaches) == 0 {
		a.note(Observe, Opaque, "url.invalid", "it is not known whom this asks", w)
	}
	return a.verdict()
}
