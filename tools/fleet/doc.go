// Package fleet is what tools need to work on many targets in one call.
//
// A [Fleet] knows which targets the operator has, connected or not. A call names some of
// them as [Names]: names, or expressions of package nodeset. What it names is always one of
// the operator's targets; a name that a model made up is an error with the nearest ones.
//
// [Groups] folds what came of the targets by equality, so that a model sees each outcome
// once, with the targets that it is of; [ConnectTarget] is the tool that connects targets.
//
// # Design
//
// A call that names targets which are not connected is rejected with what connects them,
// since a login is the operator's matter. Those that could not be connected take part in the
// call nevertheless, and fail in it: the record and the model then say of each target that
// was meant what came of it.
package fleet
