// Package svg draws what a terminal shows as a picture in SVG: for documents, and for
// moments of a recording. A picture needs nothing but a font of fixed width, and is the
// same bytes for the same snapshot.
//
// # Design
//
// Each character that is not plain ASCII stands by itself at its place, so that no font
// can displace what comes behind it. What a terminal leaves to its own taste (its ground,
// its ink, the sixteen colours that have names) is a [Look].
package svg
