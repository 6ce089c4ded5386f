// The tool that takes the pictures of the documents.
module github.com/nod-console/nod/tools-of-shots

go 1.26.0

require (
	github.com/creack/pty v1.1.24
	github.com/nod-console/nod v0.0.0
)

replace github.com/nod-console/nod => ../..
