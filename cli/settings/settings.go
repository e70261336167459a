// Package settings is the configuration file, with the environment and the flags that go before it.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
)

// production matches the names of contexts that get the PROD badge, where the
// configuration file names none.
const production = "*prod*"

// Settings are what the configuration file may set. The environment goes before
// it, and flags go before the environment.
type Settings struct {
	Theme      string   `json:"theme"`
	ASCII      *bool    `json:"ascii"`
	Production string   `json:"production"` // pattern of context names
	ReadOnly   Contexts `json:"readonly"`   // nothing is changed in these
	PoolLabel  string   `json:"pool-label"` // the label of nodes that holds their pool
	Levels     Levels   `json:"levels"`     // from where on bars change their colour
	Preview    *bool    `json:"preview"`    // lists have a preview of the selected row; nil is true
	Columns    Columns  `json:"columns"`    // more columns of Nodes and Pods
	Keys       Keys     `json:"keys"`       // keys of actions, of the user's own

	themeFrom string         // who set the theme: a variable or a flag; "" is the file
	gallery   themes.Gallery // with the themes of the user
	broken    []Fault        // of the themes of the user that are not in gallery
	doc       *document      // the file; nil without
}

// Name is the name of a setting in the file, or of a part of it, as in "columns.nodes".
type Name string

// The settings that commands other than the dashboard use.
const (
	ReadOnly     Name = "readonly"
	Production   Name = "production"
	PoolLabel    Name = "pool-label"
	BarLevels    Name = "levels"
	NodesColumns Name = "columns.nodes"
	PodsColumns  Name = "columns.pods"
)

// Levels are percentages of what is allocatable; 0 is the default.
type Levels struct {
	Tight int `json:"tight"`
	Full  int `json:"full"`
}

// check says what is wrong with the levels, and with which; "" is nothing.
func (l Levels) check() (at, wrong string) {
	tight, full := l.Percent()
	switch {
	case tight < 1 || tight > 100:
		return "levels.tight", fmt.Sprintf("%d is not a percentage, 1 to 100", tight)
	case full < 1 || full > 100:
		return "levels.full", fmt.Sprintf("%d is not a percentage, 1 to 100", full)
	case tight >= full && l.Full == 0:
		return "levels.tight", fmt.Sprintf("%d must be less than full, which is %d by default", tight, full)
	case tight >= full && l.Tight == 0:
		return "levels.full", fmt.Sprintf("%d must be more than tight, which is %d by default", full, tight)
	case tight >= full:
		return "levels", fmt.Sprintf("tight %d must be less than full %d", tight, full)
	}
	return "", ""
}

// Percent are the levels, with the defaults where nothing is set.
func (l Levels) Percent() (tight, full int) {
	return cmp.Or(l.Tight, gauge.DefaultLevels.Tight), cmp.Or(l.Full, gauge.DefaultLevels.Full)
}

// File is where the configuration file is looked for.
func File() string { return filepath.Join(xdg.ConfigHome, "fathom", "config.yaml") }

// Read reads the configuration file, if there is one, the user's themes, and the
// environment.
func Read(env func(string) string) (Settings, error) {
	s, err := load()
	if err != nil {
		return s, err
	}
	if s.doc != nil {
		if err := asError(s.doc.sorted()); err != nil {
			return s, err
		}
	}
	s.gallery, s.broken = readThemes(themesFolder()) // config check says what is wrong with one that nobody asks for
	if theme := env("FATHOM_THEME"); theme != "" {
		s.Theme, s.themeFrom = theme, "FATHOM_THEME"
	}
	if env("NO_COLOR") != "" {
		s.Theme = "mono"
	}
	if s.ASCII == nil {
		s.ASCII = new(cells.WantsASCII(env))
	}
	return s, nil
}

// load reads the configuration file, if there is one. The error is why it cannot be read; what
// is wrong in it is in the faults of the document.
func load() (Settings, error) {
	s := Settings{Production: production}
	file := File()
	text, err := readFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, exit.Usagef("read configuration: %w", err)
	default:
		s.doc = newDocument(file, text)
		s.doc.decode(&s, "setting")
	}
	return s, nil
}

// readFile reads the configuration file. One with the other ending of YAML beside it is an error: a readonly
// in that would protect nothing.
func readFile(file string) ([]byte, error) {
	other := strings.TrimSuffix(file, ".yaml") + ".yml"
	if _, err := os.Lstat(other); err == nil {
		return nil, fmt.Errorf("%s is not read, so nothing in it holds: rename it to %s, or remove it", other, filepath.Base(file))
	}
	return input.ReadSettings(file)
}

// asError is the first fault as an error; nil without one.
func asError(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	more := ""
	if rest := len(faults) - 1; rest > 0 {
		more = fmt.Sprintf(" (and %d more: config check lists them)", rest)
	}
	return exit.Usagef("read configuration %s%s", faults[0], more)
}

// Used are the settings that a command without a dashboard uses, which it names: the others are
// not to be looked at. What is wrong with one of these, or with the file as a whole, is the
// error; what is wrong with others does not stop the command.
func Used(names ...Name) (Settings, error) {
	s, err := load()
	if err != nil || s.doc == nil {
		return s, err
	}
	s.judge(s.doc)
	var faults []Fault
	for _, fault := range s.doc.sorted() {
		if slices.ContainsFunc(names, func(name Name) bool { return fault.concerns(string(name)) }) {
			faults = append(faults, fault)
		}
	}
	return s, asError(faults)
}

// Apply lets flags that were given win.
func (s *Settings) Apply(theme string, ascii, asciiGiven bool) {
	if theme != "" {
		s.Theme, s.themeFrom = theme, "--theme"
	}
	if asciiGiven {
		s.ASCII = &ascii
	}
}

// Check rejects a theme that does not exist, and settings that mean nothing.
func (s *Settings) Check() error {
	d := &document{file: File()}
	if s.doc != nil {
		d.lines = s.doc.lines
	}
	s.judge(d)
	wrong := s.checkTheme()
	if wrong != "" && s.themeFrom == "" {
		d.wrong("theme", wrong)
	}
	if err := asError(d.sorted()); err != nil {
		return err
	}
	if wrong != "" {
		return exit.Usagef("%s: %s", s.themeFrom, wrong)
	}
	return nil
}

// judge notes the settings that mean nothing, but for the theme.
func (s *Settings) judge(d *document) {
	if err := model.CheckPattern(s.Production); err != nil {
		d.wrong("production", fmt.Sprintf("%q: %v", s.Production, err))
	}
	s.ReadOnly.judge(d)
	if s.PoolLabel != "" {
		if wrong := content.IsLabelKey(s.PoolLabel); len(wrong) > 0 {
			d.wrong("pool-label", fmt.Sprintf("%q is not a label key: %s", s.PoolLabel, wrong[0]))
		}
	}
	if at, wrong := s.Levels.check(); wrong != "" {
		d.wrong(at, wrong)
	}
	s.Columns.judge(d)
	s.Keys.judge(d)
}

// checkTheme says what is wrong with the name of the theme, or with its file; "" is nothing.
func (s *Settings) checkTheme() string {
	if _, ok := s.gallery.For(s.Theme, true); ok || s.Theme == "" {
		return ""
	}
	for _, fault := range s.broken {
		if fault.ofTheme(s.Theme) {
			return fault.String()
		}
	}
	return fmt.Sprintf("no theme %q: choose one of %s%s", s.Theme, strings.Join(s.gallery.Names(), ", "), suggest.DidYouMean(s.Theme, s.gallery.Names()...))
}

// Gallery are all themes, with those of the user.
func (s *Settings) Gallery() themes.Gallery { return s.gallery }

// ThemeNames lists the built-in themes, for help.
func ThemeNames() string { return strings.Join(themes.Names(), ", ") }
