package files

import (
	"path"
	"slices"
	"strings"

	"github.com/nod-console/nod/backends/search"
	"github.com/nod-console/nod/tools"
)

// Bounds say where the file tools may go. The zero value has no workspace and no
// exceptions. All paths are absolute and without links.
type Bounds struct {
	// Workspace is the folder on this machine that its files must lie in; empty
	// means anywhere. It does not concern other targets.
	Workspace string
	// Allowed are files and folders that are allowed by name, outside of the
	// workspace and in the system's folders.
	Allowed []string
}

// local is the target on this machine.
const local = "local"

// system are folders whose files belong to the installed packages or to the
// kernel.
var system = []string{
	"/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/var/lib/dpkg", "/var/lib/rpm", "/lib/apk", "/nix/store",
}

// own are folders within those that are the machine's own.
var own = []string{"/usr/local"}

// read refuses a path that may not be looked at; name is a resolved path.
func (b Bounds) read(target, name string) error {
	if target != local || b.Workspace == "" || below(name, b.Workspace) || b.allows(name) {
		return nil
	}
	return tools.Reject("outside_workspace", "%s lies outside of the workspace %s; only the operator can widen that (tools.workspace, tools.allowed_paths)", name, b.Workspace)
}

// write refuses a path that may not be written.
func (b Bounds) write(target, name string) error {
	if err := b.read(target, name); err != nil {
		return err
	}
	switch {
	case b.allows(name):
		return nil
	case search.Kernel(name):
		return tools.Reject("system_folder", "%s is the kernel's and no file that can be replaced; use run_shell", name)
	case slices.ContainsFunc(system, func(dir string) bool { return below(name, dir) }) &&
		!slices.ContainsFunc(own, func(dir string) bool { return below(name, dir) }):
		return tools.Reject("system_folder", "%s belongs to the system's packages: change it through the package manager, or have the operator allow it by name (tools.allowed_paths)", name)
	}
	return nil
}

func (b Bounds) allows(name string) bool {
	return slices.ContainsFunc(b.Allowed, func(dir string) bool { return below(name, path.Clean(dir)) })
}

// below reports whether a path is a folder or lies in it.
func below(name, dir string) bool {
	return name == dir || dir == "/" || strings.HasPrefix(name, dir+"/")
}
