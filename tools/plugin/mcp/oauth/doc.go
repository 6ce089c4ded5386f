// Package oauth keeps the logins of MCP servers: tokens that an authorization server has
// given out for the address of one server (OAuth 2.1 with PKCE).
//
// # What it promises
//
// A token is sent to the address for which it was given out and to no other, and what
// renews it to the authorization server that gave it out. If the address in the
// configuration changes, the login does not count any more.
//
// The file is readable by its owner alone, and not read if it is not.
//
// # Concurrency
//
// A [Store] is safe for concurrent use. Of two processes that renew a token at the same
// time, the later one's stays in the file; the earlier one takes it from there.
package oauth
