package kubelet

import (
	"fmt"
	"path"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	nameWidth  = 23 // of a file's name and its indent
	valueWidth = 14
)

// NewerWords explain two values of a file.
const NewerWords = "Two values: the second with runc 1.3.2, crun 1.23 and newer."

// Lines are a cgroup in the tree of all, cut to a width: whose it is with the last part of
// its path, then its files.
func (c *Cgroup) Lines(width int) []string {
	indent := strings.Repeat("  ", strings.Count(c.Path, "/")-1)
	of, name := "", path.Base(c.Path)
	switch {
	case c.Container != "":
		of = c.Container + ": "
	case c.Pod != "":
		of = c.Namespace + "/" + c.Pod + ": "
	}
	heads := []string{indent + of + name}
	if c.Container == "" && len(heads[0]) > width {
		heads = []string{indent + strings.TrimSuffix(of, ": "), indent + name}
	}
	lines := make([]string, 0, len(heads)+len(c.Files))
	for _, head := range heads {
		lines = append(lines, cutTo(width, head))
	}
	for _, f := range c.Files {
		value := f.Value
		if f.Newer != "" {
			value += " or " + f.Newer
		}
		lines = append(lines, cutTo(width, fmt.Sprintf("%s  %-*s %-*s %s", indent, max(nameWidth-len(indent), 0), f.Name, valueWidth, value, f.From)))
	}
	return lines
}

// HasNewer reports whether a file has two values.
func (c *Cgroup) HasNewer() bool {
	for _, f := range c.Files {
		if f.Newer != "" {
			return true
		}
	}
	return false
}

// cutTo is a line as a terminal of a width shows it.
func cutTo(width int, text string) string {
	return ansi.Truncate(model.Clean(text), width, "…")
}
