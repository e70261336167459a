package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
)

// onceValue is a flag that takes one value. Flags keep the last value by themselves: of
// two manifests the first would not be read, and a check of both would pass.
type onceValue struct {
	pflag.Value
	flag  *pflag.Flag
	given string // the value so far, as it was given
}

// Set rejects a second value; the same value again is fine.
func (o *onceValue) Set(value string) error {
	if o.flag.Changed && value != o.given {
		return fmt.Errorf("--%s %q: %w, first as %q: give one", o.flag.Name, value, suggest.ErrRepeated, o.given)
	}
	o.given = value
	return o.Value.Set(value)
}

// takeOnce makes the flags of a command and of those below it reject a second value, except
// those that take a list, those that are on or off, and those of the connection: as in kubectl, a
// user may add --context to an alias that has one.
func takeOnce(cmd *cobra.Command) {
	connects := cmd.Root().PersistentFlags()
	once := func(flag *pflag.Flag) {
		_, isList := flag.Value.(pflag.SliceValue)
		_, done := flag.Value.(*onceValue)
		if done || isList || flag.Value.Type() == "bool" || flag.Name != "namespace" && connects.Lookup(flag.Name) != nil {
			return
		}
		flag.Value = &onceValue{Value: flag.Value, flag: flag}
	}
	cmd.Flags().VisitAll(once)
	cmd.PersistentFlags().VisitAll(once)
	for _, below := range cmd.Commands() {
		takeOnce(below)
	}
}
