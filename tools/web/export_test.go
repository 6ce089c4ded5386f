package web

// ReadPage lets tests read pages without a server.
var ReadPage = readPage

// ReadDuckDuckGo lets tests read pages of results.
var ReadDuckDuckGo = readDuckDuckGo

// Text is a page's text.
func (p page) Text() string { return p.text }
