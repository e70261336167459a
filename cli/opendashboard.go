package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/guard"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// screen is how a dashboard is drawn, and on what.
type screen struct {
	*terminal.Streams
	source *source.Options
	theme  string
	ascii  bool
	flags  *pflag.FlagSet
	plain  string // what works without a terminal; "" is another way to see the same cluster

	settings settings.Settings // once it is prepared
}

func newScreen(a *app) screen { return screen{Streams: a.Streams, source: a.source} }

// addFlags adds --theme and --ascii to a command.
func (s *screen) addFlags(cmd *cobra.Command) {
	s.flags = cmd.Flags()
	s.flags.StringVar(&s.theme, "theme", "", "`Colors`: "+settings.ThemeNames()+". FATHOM_THEME and config.yaml set it too.")
	s.flags.BoolVar(&s.ascii, "ascii", false, "Draw with ASCII characters only.")
	suggest.Complete(cmd, "theme", themes.Names()...)
}

// prepare finds out how to draw, and whether there is a terminal to draw on.
func (s *screen) prepare() error {
	if err := s.readSettings(); err != nil {
		return err
	}
	return s.checkTerminal()
}

// readSettings finds out how to draw, and which parts of objects are shown.
func (s *screen) readSettings() (err error) {
	if s.settings, err = settings.Read(os.Getenv); err != nil {
		return err
	}
	s.settings.Apply(s.theme, s.ascii, s.flags.Changed("ascii"))
	if err := s.settings.Check(); err != nil {
		return err
	}
	s.source.PoolLabel, s.source.Whole = s.settings.PoolLabel, s.settings.Columns.NeedWhole()
	return nil
}

// checkTerminal rejects a screen that is none.
func (s *screen) checkTerminal() error {
	if !terminal.Is(s.In) || !terminal.Is(s.Out) {
		plain := cmp.Or(s.plain, fmt.Sprintf("%[1]s explain --all and %[1]s get pending work", s.Name))
		return exit.Usagef("open dashboard: standard input and output must be a terminal; without one %s", plain)
	}
	return nil
}

// show runs the dashboard on the terminal, which Bubble Tea restores however it ends.
func (s *screen) show(ctx context.Context, options ui.Options) error {
	options.Theme, options.ASCII, options.Production = s.settings.Theme, *s.settings.ASCII, s.settings.Production
	options.ReadOnly = s.source.ReadOnly
	options.Levels.Tight, options.Levels.Full = s.settings.Levels.Percent()
	options.NoPreview = !s.settings.HasPreview()
	options.KeepPreview = func(shown bool) { _ = settings.KeepPreview(shown) } // a home that cannot be written keeps nothing
	options.Themes, options.Keys = s.settings.Gallery(), s.settings.Keys.Map()
	options.Columns = ui.Columns{Nodes: s.settings.Columns.OfNodes(), Pods: s.settings.Columns.OfPods(), Whole: s.source.IsWhole()}
	app := ui.New(options)
	defer app.Close()
	if err := guard.Run(ctx, app, s.In, terminal.Below(s.Out), aborting(s.Streams)); err != nil {
		return fmt.Errorf("run dashboard: %w", err)
	}
	if err := exit.BySignal(ctx); err != nil {
		return err
	}
	return app.Err()
}
