// Package mcp lets a model use the tools of servers that speak the Model Context
// Protocol (modelcontextprotocol.io).
//
// A [Set] holds the servers of the configuration. [Set.Start] connects to them in the
// background and registers the tools that the operator has accepted, each by the name
// SERVER_TOOL. A server that has ended is started again by the next call.
//
// # What a server cannot do
//
// Each call of a tool is an action of the kind [tools.Invoke]: it asks the operator,
// whatever the server says of its tool, and it is on record like any other. Only a rule
// that names the tool lets it pass.
//
// What a server says of its tools and resources goes to the model, so the operator sees it
// first: [Pins] keep the definitions that they have accepted, and a new or changed one is
// withheld until [Set.Accept]. The digest of the definition is part of the action, so a
// definition that changes after the approval is not called.
//
// A program runs in a closed cage (package confine), with the environment that the
// configuration names and no other. Reach widens the cage.
//
// A message is at most [MaxMessage] bytes long. What a server sends without having been
// asked is bounded by [MaxUnasked] and [MaxUnaskedLines] from one request to the next. A
// server that breaks a bound, or the protocol, is ended.
//
// At most [MaxOffered] tools stand in a request; the model finds the rest with the tool
// search_tools.
//
// The tool mcp_resource reads what was accepted alone, and each reading asks as a call
// does. A form that asks the operator for something secret is declined.
//
// A login (package oauth) is made by the operator alone ([Set.Login]), and goes to the
// address that it was made for.
//
// # Concurrency
//
// A Set is safe for concurrent use. Its goroutines end before [Set.Close] returns.
//
// # Design
//
// Messages of programs are read by this package, and not by the SDK's own transports,
// because the bounds have to hold before a message is decoded. Over HTTP, the body of
// each answer is bounded where it is read.
//
// A request is made again only if it has not arrived: there was no connection, or the
// server did not know the session. Whatever else has failed may have been done.
package mcp
