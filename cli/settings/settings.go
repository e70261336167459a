// Package settings is the configuration file, with the environment and the flags that go before it.
package settings

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"k8s.io/apimachinery/pkg/api/validate/content"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

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

	themeFrom string // who set the theme: a variable or a flag; "" is the file
}

// Levels are percentages of what is allocatable; 0 is the default.
type Levels struct {
	Tight int `json:"tight"`
	Full  int `json:"full"`
}

// check says what is wrong with the levels.
func (l Levels) check() error {
	tight, full := l.Percent()
	if tight < 1 || full > 100 || tight >= full {
		return exit.Usagef("read configuration: levels: tight %d, full %d: both are percentages, and tight must be less than full", tight, full)
	}
	return nil
}

// Percent are the levels, with the defaults where nothing is set.
func (l Levels) Percent() (tight, full int) {
	return cmp.Or(l.Tight, gauge.DefaultLevels.Tight), cmp.Or(l.Full, gauge.DefaultLevels.Full)
}

// File is where the configuration file is looked for.
func File() string { return filepath.Join(xdg.ConfigHome, "fathom", "config.yaml") }

// Read reads the configuration file, if there is one, and the environment.
func Read(env func(string) string) (Settings, error) {
	s := Settings{Production: production}
	file := File()
	text, err := input.ReadFile(context.Background(), file, input.MostSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, exit.Usagef("read configuration: %w", err)
	default:
		if err := unmarshalOnly(text, &s); err != nil {
			return s, exit.Usagef("read configuration %s: %w", file, inYAML(err))
		}
	}
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

// inYAML words an error of the decoder, which reads YAML by way of JSON, for the file's
// reader.
func inYAML(err error) error {
	text := err.Error()
	if _, field, ok := strings.Cut(text, "json: unknown field "); ok {
		return fmt.Errorf("unknown setting %s: settings are theme, ascii, production, readonly, pool-label, preview and levels", field)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s cannot be a %s", wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return errors.New("it must be a mapping of settings, such as theme: dark")
	}
	return err
}

// Checked are readSettings where no flag sets any.
func Checked(env func(string) string) (Settings, error) {
	s, err := Read(env)
	if err == nil {
		err = s.Check()
	}
	return s, err
}

// unmarshalOnly reads the one document of text. A second one is rejected: YAML reads
// the first alone, and what the others protect would be protected by nothing.
func unmarshalOnly(text []byte, s *Settings) error {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var held int
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var whole any
		if err := yaml.Unmarshal(document, &whole); err == nil && whole == nil {
			continue // comments alone
		}
		if held++; held > 1 {
			return errors.New("it has more than one document; keep all settings in one, without ---")
		}
		if err := yaml.UnmarshalStrict(document, s); err != nil {
			return err
		}
	}
	return nil
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

// Check rejects a theme that does not exist, and patterns that match nothing.
func (s *Settings) Check() error {
	if err := model.CheckPattern(s.Production); err != nil {
		return exit.Usagef("read configuration: production: %q: %w", s.Production, err)
	}
	if err := s.ReadOnly.check(); err != nil {
		return exit.Usagef("read configuration: readonly: %w", err)
	}
	if s.PoolLabel != "" {
		if wrong := content.IsLabelKey(s.PoolLabel); len(wrong) > 0 {
			return exit.Usagef("read configuration: pool-label: %q is not a label key: %s", s.PoolLabel, wrong[0])
		}
	}
	if err := s.Levels.check(); err != nil {
		return err
	}
	if s.Theme == "" {
		return nil
	}
	if _, ok := themes.For(s.Theme, true); !ok {
		return exit.Usagef("%s: no theme %q: choose one of %s%s", cmp.Or(s.themeFrom, "read configuration: theme"), s.Theme, ThemeNames(), suggest.DidYouMean(s.Theme, themes.Names()...))
	}
	return nil
}

// ThemeNames lists the themes, for messages.
func ThemeNames() string { return strings.Join(themes.Names(), ", ") }
