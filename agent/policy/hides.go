package policy

import "path"

// Hides reports whether a file, by its absolute path, is none of a search's
// business: it holds secrets by its name, or belongs to nod itself.
func (e *Engine) Hides(target, file string) bool {
	file = path.Clean(file)
	return secret(file) || e.isOwn(target, file)
}
