// The tool that writes the documents as a site.
module github.com/nod-console/nod/tools-of-docs

go 1.26.0

require (
	github.com/yuin/goldmark v1.8.7
	golang.org/x/net v0.62.0
)
