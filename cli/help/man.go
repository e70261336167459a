package help

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// roff escapes what troff would take for its own in a text: backslashes, hyphens that
// are to be copied, and lines that begin like a request.
func roff(text string) string {
	escaped := strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(escaped, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// ManName is the name of a command's manual page, as kubectl-fathom-drain.
func ManName(cmd *cobra.Command) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", "-")
}

// WriteMan writes the manual page of a command, in section 1. It has the text of the
// command's help, and no date, so that two builds of a version are equal.
func WriteMan(w io.Writer, cmd *cobra.Command, version string) error {
	var b strings.Builder
	name := ManName(cmd)
	section := func(title, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(text))
		}
	}
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q\n", strings.ToUpper(roff(name)), "fathom "+roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	section("SYNOPSIS", usageLine(cmd))
	section("DESCRIPTION", cmd.Long)
	if cmd.HasParent() {
		section("OPTIONS", flagsText(flagsOf(cmd)))
	} else {
		all, dashboard := Options(cmd)
		section("OPTIONS OF ALL COMMANDS", all)
		section("OPTIONS OF THE DASHBOARD", dashboard)
	}
	section("EXAMPLES", cmd.Example)
	section("SEE ALSO", related(cmd))
	_, err := io.WriteString(w, b.String())
	return err
}

// related names the pages of a command's parent and of its own commands.
func related(cmd *cobra.Command) string {
	var names []string
	if cmd.HasParent() {
		names = append(names, ManName(cmd.Parent())+"(1)")
	}
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, ManName(child)+"(1)")
		}
	}
	return cmp.Or(wrapped(strings.Join(names, ", "), Width, ""), "kubectl(1)")
}
