package cli

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

// helpWidth is how wide help is at most, in columns.
const helpWidth = 80

// The groups of commands, in the order of the root command's help.
const (
	groupExplain = "explain"
	groupLook    = "look"
	groupChange  = "change"
	groupFiles   = "files"
	groupOther   = "other"
)

var helpGroups = []*cobra.Group{
	{ID: groupExplain, Title: "Explain:"},
	{ID: groupLook, Title: "View:"},
	{ID: groupChange, Title: "Change:"},
	{ID: groupFiles, Title: "Demo and snapshots:"},
	{ID: groupOther, Title: "Other:"},
}

// grouped puts commands into a group.
func grouped(group string, commands ...*cobra.Command) []*cobra.Command {
	for _, cmd := range commands {
		cmd.GroupID = group
	}
	return commands
}

// namespaced marks a command whose help shows -n, which all commands take.
const namespaced = "namespaced"

func showNamespace(cmd *cobra.Command) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[namespaced] = "true"
}

// setHelp gives root and all its commands the help of this program, which has the
// shape of kubectl's.
func setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = writeHelp(cmd.OutOrStdout(), cmd) }) // an error means that nobody reads
	root.SetUsageFunc(func(cmd *cobra.Command) error { return writeHelp(cmd.OutOrStderr(), cmd) })
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "help" {
			cmd.Use, cmd.Short, cmd.Long, cmd.GroupID = "help [COMMAND]", "Print the help of a command", "Print the help of a command.", groupOther
			cmd.Example = examplesOf(root.CommandPath(), "help", "help drain", "help completion bash")
			cmd.Args = func(help *cobra.Command, args []string) error {
				_, err := helpTopic(help, args)
				return err
			}
			cmd.Run, cmd.RunE = nil, func(help *cobra.Command, args []string) error {
				topic, _ := helpTopic(help, args) // Args found it
				topic.InitDefaultHelpFlag()
				return topic.Help()
			}
		}
	}
}

// helpTopic finds the command that the arguments of help name.
func helpTopic(help *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, err := help.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = suggest.NoCommand(cmd, rest)
	}
	return cmd, err
}

// writeHelp writes the help of a command.
func writeHelp(w io.Writer, cmd *cobra.Command) error {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(cmd.Long) + "\n\n")
	if !cmd.HasParent() {
		writeCommands(&b, cmd)
	}
	fmt.Fprintf(&b, "Examples:\n%s\n\n", strings.TrimRight(cmd.Example, "\n"))
	if flags := helpFlags(cmd); flags.HasAvailableFlags() {
		fmt.Fprintf(&b, "Options:\n%s\n", flagsText(flags))
	}
	fmt.Fprintf(&b, "Usage:\n  %s\n\n", usageLine(cmd))
	name := cmd.Root().CommandPath()
	global := fmt.Sprintf("Use %q for a list of global command-line options (applies to all commands)", name+" options")
	if cmd.HasParent() {
		b.WriteString(wrapped(global+".", helpWidth, "") + "\n")
	} else {
		fmt.Fprintf(&b, "Use %q for more about a command.\n", name+" COMMAND --help")
		b.WriteString(wrapped(global+", and of those of the dashboard.", helpWidth, "") + "\n")
	}
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

// helpFlags are the flags that a command's help shows: its own, and -n where it is
// about one namespace. Those of the dashboard stand with the global ones.
func helpFlags(cmd *cobra.Command) *pflag.FlagSet {
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
		if value != "" {
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
		fmt.Fprintf(&b, "  %-*s%s\n", column-2, name, wrapped(texts[i], helpWidth-column, strings.Repeat(" ", column)))
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

// examplesOf are examples without comments: the name of the program is put before each.
func examplesOf(program string, lines ...string) string {
	for i, line := range lines {
		lines[i] = "  " + program + " " + line
	}
	return strings.Join(lines, "\n")
}

// newOptions makes the command that lists the flags that are in no command's help.
func newOptions(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "options",
		Short:             "Print the options of all commands and of the dashboard",
		Long:              "Print the options of all commands and of the dashboard.",
		Example:           fmt.Sprintf("  %s options", a.Name),
		Args:              suggest.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(a.Out, "The following options can be passed to any command:\n\n%s\nThe dashboard (%s without a command) has these too:\n\n%s",
				flagsText(cmd.Root().PersistentFlags()), a.Name,
				flagsText(cmd.Root().LocalNonPersistentFlags()))
			return err
		},
	}
}
