// Package runbook reads what a folder says of itself to agents, AGENTS.md,
// RUNBOOK.md and skills, and keeps whether the operator allows that.
//
//	f, err := runbook.Look(workspace)
//	switch consents.Of(f) {
//	case runbook.Unknown, runbook.Changed: // show f.Describe() and ask; then consents.Set
//	case runbook.Allowed:                  // f.Text() for the model, as data
//	}
//
// [LookOn] reads the same of a folder on another target, but no skills.
//
// # Promises
//
//   - Consent is to the very bytes that were looked at: the digest of all files that
//     count. With any other byte it is asked for again.
//   - What is told is what was hashed. Files are read once.
//   - Only regular files are read, through no link, [MaxFile] bytes at most. What
//     cannot be read is named in [Folder.Left] and is not told.
//
// # Design
//
// Files in a working directory may be anybody's. That is why they are told as
// data, never set anything, and why their words count as printed by a target.
package runbook
