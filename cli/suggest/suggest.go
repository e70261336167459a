// Package suggest suggests words: completions while a user types, and corrections of a typo.
package suggest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// near is the largest edit distance of a suggestion. A word at that distance has to begin
// with the same letter: of a short word two letters are most of it.
const near = 2

// Nearest are the words that a wrong one is close to, as cobra finds commands.
func Nearest(wrong string, words ...string) []string {
	list := &cobra.Command{SuggestionsMinimumDistance: near}
	for _, word := range words {
		list.AddCommand(&cobra.Command{Use: word, Run: func(*cobra.Command, []string) {}})
	}
	if wrong == "" {
		return nil // it is a prefix of every word
	}
	found := list.SuggestionsFor(wrong)
	list.SuggestionsMinimumDistance = near - 1
	nearer := list.SuggestionsFor(wrong)
	return slices.DeleteFunc(found, func(word string) bool {
		return !strings.HasPrefix(strings.ToLower(word), strings.ToLower(wrong[:1])) && !slices.Contains(nearer, word)
	})
}

// DidYouMean suggests the words that a wrong one is close to: " (did you mean pods?)";
// "" if there are none.
func DidYouMean(wrong string, words ...string) string {
	found := Nearest(wrong, words...)
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", strings.Join(found, " or "))
}

// NoCommand rejects arguments of the root command: they are unknown commands.
func NoCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = near
	meant := ""
	if found := cmd.SuggestionsFor(args[0]); args[0] != "" && len(found) > 0 {
		meant = fmt.Sprintf(" (did you mean %s?)", strings.Join(found, " or "))
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), meant)
}

// NoArguments rejects arguments of a command that takes none.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments; got %q", cmd.Name(), args[0])
}

// ErrRepeated says that a flag that takes one value has two.
var ErrRepeated = errors.New("given twice")

// Flag words an error about a flag: which flag may be meant by an unknown one, and
// what a value should be.
func Flag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && errors.Is(err, ErrRepeated) {
		return invalid.Unwrap()
	}
	if errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "duration" {
		return fmt.Errorf("--%s %q: must be a duration such as 30s or 10m", invalid.GetFlag().Name, invalid.GetValue())
	}
	if number := new(strconv.NumError); errors.As(err, &invalid) && errors.As(err, &number) {
		return badValue(invalid, number)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return err
	}
	var names []string
	add := func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	slices.Sort(names)
	found := Nearest(unknown.GetSpecifiedName(), slices.Compact(names)...)
	if len(found) == 0 {
		return err
	}
	return fmt.Errorf("%w (did you mean --%s?)", err, strings.Join(found, " or --"))
}

// badValue says what the value of a flag should be, without the words of strconv.
func badValue(invalid *pflag.InvalidValueError, number *strconv.NumError) error {
	wants := "a number"
	switch kind := invalid.GetFlag().Value.Type(); {
	case errors.Is(number, strconv.ErrRange):
		wants = "a smaller number"
	case strings.HasPrefix(kind, "uint") && isNegative(invalid.GetValue()):
		return fmt.Errorf("--%s %q: must not be negative", invalid.GetFlag().Name, invalid.GetValue())
	case kind == "bool":
		wants = "true or false"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		wants = "a whole number"
	}
	return fmt.Errorf("--%s %q: must be %s", invalid.GetFlag().Name, invalid.GetValue(), wants)
}

// isNegative reports whether a value is a whole number below 0.
func isNegative(value string) bool {
	number, err := strconv.ParseInt(value, 0, 64)
	return err == nil && number < 0
}

// OneOf completes a flag or an argument from a fixed list.
func OneOf(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// Complete completes the values of a flag that the command has.
func Complete(cmd *cobra.Command, flag string, words ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, OneOf(words...)); err != nil {
		panic(err) // no such flag: a mistake in this package
	}
}
