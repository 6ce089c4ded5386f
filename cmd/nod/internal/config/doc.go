// Package config turns flags, the environment and the configuration file into
// one [Config], and remembers where each value came from.
//
// The order is: flag, environment, file, default; the first that says
// something wins. The file is strict: a key that nod does not know is an error
// that names its line and the nearest key that it does know.
//
// Nothing is ever read from the working directory: a folder that somebody
// checked out must not be able to choose the model's address, the targets or
// the policy.
//
// # Design
//
// Every single setting is one row of one table ([settings]), with its key, its
// environment variables, its default and its place in Config. Loading, origins,
// "nod config explain" and the error for an unknown key all read that table, so
// a new setting is one line. The repeated tables ([model.NAME] and
// [target.NAME]) are decoded as a whole.
package config
