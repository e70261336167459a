// Package build is what is known of how this program was built.
package build

import "runtime/debug"

// release is the version that a release build sets with
// -ldflags "-X github.com/kubectl-fathom/kubectl-fathom/cli/build.release=v1.2.3".
var release string

// Version is the release, else what the Go tool noted of the build.
func Version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Dependency is the version of a module that this program was built with.
func Dependency(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if module.Path == path {
			return module.Version
		}
	}
	return ""
}
