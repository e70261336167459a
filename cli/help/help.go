// Package help is the help of all commands, which has the shape of kubectl's.
package help

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
)

// Width is how wide help is at most, in columns.
const Width = 80

// The groups of commands, in the order of the root command's help.
const (
	Explain = "explain"
	Look    = "look"
	Change  = "change"
	Files   = "files"
	Other   = "other"
)

// Groups are those of the root command's help.
var Groups = []*cobra.Group{
	{ID: Explain, Title: "Explain:"},
	{ID: Look, Title: "View:"},
	{ID: Change, Title: "Change:"},
	{ID: Files, Title: "Demo and snapshots:"},
	{ID: Other, Title: "Other:"},
}

// Grouped puts commands into a group.
func Grouped(group string, commands ...*cobra.Command) []*cobra.Command {
	for _, cmd := range commands {
		cmd.GroupID = group
	}
	return commands
}

// namespaced marks a command whose help shows -n, which all commands take.
const namespaced = "namespaced"

// ShowNamespace makes a command's help show -n.
func ShowNamespace(cmd *cobra.Command) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[namespaced] = "true"
}

// Set gives root and all its commands the help of this program, which has the
// shape of kubectl's.
func Set(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = Write(cmd.OutOrStdout(), cmd) }) // the stream keeps the error
	root.SetUsageFunc(func(cmd *cobra.Command) error { return Write(cmd.OutOrStderr(), cmd) })
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "help" {
			cmd.Use, cmd.Short, cmd.Long, cmd.GroupID = "help [COMMAND]", "Print the help of a command", "Print the help of a command.", Other
			cmd.Example = Examples(root.CommandPath(), "help", "help drain", "help completion bash")
			cmd.Args = func(help *cobra.Command, args []string) error {
				_, err := topicOf(help, args)
				return err
			}
			cmd.Run, cmd.RunE = nil, func(help *cobra.Command, args []string) error {
				topic, _ := topicOf(help, args) // Args found it
				topic.InitDefaultHelpFlag()
				return topic.Help()
			}
		}
	}
}

// topicOf finds the command that the arguments of help name.
func topicOf(help *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, err := help.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = suggest.NoCommand(cmd, rest)
	}
	return cmd, err
}

// Write writes the help of a command.
func Write(w io.Writer, cmd *cobra.Command) error {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(cmd.Long) + "\n\n")
	if !cmd.HasParent() {
		writeCommands(&b, cmd)
	}
	fmt.Fprintf(&b, "Examples:\n%s\n\n", strings.TrimRight(cmd.Example, "\n"))
	if flags := flagsOf(cmd); flags.HasAvailableFlags() {
		fmt.Fprintf(&b, "Options:\n%s\n", flagsText(flags))
	}
	fmt.Fprintf(&b, "Usage:\n  %s\n\n", usageLine(cmd))
	name := cmd.Root().CommandPath()
	global := fmt.Sprintf("Use %q for a list of global command-line options (applies to all commands).", name+" options")
	if !cmd.HasParent() {
		fmt.Fprintf(&b, "Use %q for more about a command.\n", name+" COMMAND --help")
		global += " It has the options of the dashboard too."
	}
	b.WriteString(wrapped(global, Width, "") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeCommands lists the commands by group, a line each.
func writeCommands(b *strings.Builder, root *cobra.Command) {
	width := 0
	for _, cmd := range root.Commands() {
		width = max(width, len(cmd.Name()))
	}
	for _, group := range root.Groups() {
		b.WriteString(group.Title + "\n")
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && cmd.IsAvailableCommand() {
				fmt.Fprintf(b, "  %-*s  %s\n", width, cmd.Name(), cmd.Short)
			}
		}
	}
	b.WriteString("\n")
}

// flagsOf are the flags that a command's help shows: its own, and -n where it is
// about one namespace. Those of the dashboard stand with the global ones.
func flagsOf(cmd *cobra.Command) *pflag.FlagSet {
	flags := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	if !cmd.HasParent() {
		return flags
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "help" {
			flags.AddFlag(flag)
		}
	})
	if cmd.Annotations[namespaced] != "" {
		flags.AddFlag(cmd.Root().PersistentFlags().Lookup("namespace"))
	}
	return flags
}

// usageLine is the command with what it takes, as kubectl words it.
func usageLine(cmd *cobra.Command) string {
	line := strings.TrimSuffix(cmd.UseLine(), " [flags]")
	if !cmd.HasParent() {
		line += " [COMMAND]"
	}
	return line + " [options]"
}

// flagsText has each flag on a line, or several where its text is long.
func flagsText(flags *pflag.FlagSet) string {
	var names, texts []string
	column := 0
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		name := "    --" + flag.Name
		if flag.Shorthand != "" {
			name = "-" + flag.Shorthand + ", --" + flag.Name
		}
		value, text := pflag.UnquoteUsage(flag)
		switch {
		case value == "":
		case flag.NoOptDefVal != "": // the value may be left out, so it needs the equals sign
			name += "[=" + strings.ToUpper(value) + "]"
		default:
			name += " " + strings.ToUpper(value)
		}
		if !strings.Contains(text, "(default") && !slices.Contains([]string{"", "0", "false", "[]", "0s"}, flag.DefValue) {
			text = strings.TrimSuffix(text, ".") + " (default " + flag.DefValue + ")"
		}
		names, texts = append(names, name), append(texts, text)
		column = max(column, len(name)+4)
	})
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "  %-*s%s\n", column-2, name, wrapped(texts[i], Width-column, strings.Repeat(" ", column)))
	}
	return b.String()
}

// wrapped breaks a text into lines of a width, each but the first after an indent.
func wrapped(text string, width int, indent string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		size := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+size > width:
			b.WriteString("\n" + indent)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += size
	}
	return b.String()
}

// Examples are examples without comments: the name of the program is put before each.
func Examples(program string, lines ...string) string {
	indented := make([]string, len(lines))
	for i, line := range lines {
		indented[i] = "  " + program + " " + line
	}
	return strings.Join(indented, "\n")
}

// Options are the texts of the flags of all commands, and of those of the dashboard.
func Options(root *cobra.Command) (all, dashboard string) {
	return flagsText(root.PersistentFlags()), flagsText(root.LocalNonPersistentFlags())
}
