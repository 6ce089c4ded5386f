// Package web holds the tools fetch_url and web_search.
//
// # What it promises
//
//   - Only the public network is asked. The address is checked when it is dialled,
//     for every connection, whatever a name has resolved to before: no private,
//     loopback, link-local or metadata address, none of them wrapped in IPv6, and
//     only the ports 80 and 443. No proxy is used, whatever the environment says.
//   - Nobody is asked but the host that was approved: a redirect to another one is
//     not followed but told. Nothing is sent but a GET with a URL that was shown;
//     no cookie, no Referer, no password, and no placeholder's secret.
//   - A request takes ten seconds and 5 MiB at most.
//   - What comes back is text: pages as Markdown without what a reader would not
//     see, in UTF-8. What is binary is refused.
//
// # Errors
//
// What the model can do something about is a Result with a code, such as
// forbidden_host, forbidden_address, binary, timeout, http_404. A grant that does
// not fit is a permission_denied error.
//
// # Concurrency
//
// A [Client] and the tools are safe for concurrent use.
//
// # Design
//
// The check of addresses is code.dny.dev/ssrf, which follows IANA's registries of
// special addresses; it stands in the dialer's Control, behind the resolver and
// before the first packet, where no second answer of a name server can get around
// it. What names look like is checked before as well ([Check]), only to say no
// sooner and in better words.
//
// How connections are made is a type of tools/web/internal: nobody outside of
// this folder can put something laxer in its place, and package webtest is for
// tests alone.
package web
