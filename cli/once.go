package cli

import (
	"fmt"
	"slices"

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

// once are the flags that say what a command is about. Of all others the last value counts, as in
// kubectl: a user may add --context or --listen to an alias that has one.
var once = []string{
	"filename", "from", "step", "namespace", "selector", "lesson", "scheduler-config",
	"requests", "replicas", "add", "like", "pool",
}

// takeOnce makes those flags of a command, and of the commands below it, reject a second value.
func takeOnce(cmd *cobra.Command) {
	reject := func(flag *pflag.Flag) {
		_, isList := flag.Value.(pflag.SliceValue)
		_, done := flag.Value.(*onceValue)
		if !done && !isList && slices.Contains(once, flag.Name) {
			flag.Value = &onceValue{Value: flag.Value, flag: flag}
		}
	}
	cmd.Flags().VisitAll(reject)
	cmd.PersistentFlags().VisitAll(reject)
	for _, below := range cmd.Commands() {
		takeOnce(below)
	}
}
