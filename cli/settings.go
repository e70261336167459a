package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// production matches the names of contexts that get the PROD badge, where the
// configuration file names none.
const production = "*prod*"

// settings are what the configuration file may set. The environment goes before
// it, and flags go before the environment.
type settings struct {
	Theme      string `json:"theme"`
	ASCII      *bool  `json:"ascii"`
	Production string `json:"production"` // pattern of context names
	ReadOnly   string `json:"readonly"`   // pattern of contexts that nothing is changed in
}

// readSettings reads the configuration file, if there is one, and the environment.
func readSettings(env func(string) string) (settings, error) {
	s := settings{Production: production}
	file := filepath.Join(xdg.ConfigHome, "fathom", "config.yaml")
	text, err := readFile(context.Background(), file, mostSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, usagef("read configuration: %w", err)
	default:
		if err := yaml.UnmarshalStrict(text, &s); err != nil {
			return s, usagef("read configuration %s: %w", file, err)
		}
	}
	if theme := env("FATHOM_THEME"); theme != "" {
		s.Theme = theme
	}
	if env("NO_COLOR") != "" {
		s.Theme = "mono"
	}
	if s.ASCII == nil {
		s.ASCII = new(ui.WantsASCII(env))
	}
	return s, nil
}

// apply lets flags that were given win.
func (s *settings) apply(theme string, ascii, asciiGiven bool) {
	if theme != "" {
		s.Theme = theme
	}
	if asciiGiven {
		s.ASCII = &ascii
	}
}

// check refuses a theme that does not exist, and patterns that match nothing.
func (s *settings) check() error {
	for _, p := range []struct{ name, pattern string }{{"production", s.Production}, {"readonly", s.ReadOnly}} {
		if err := model.CheckPattern(p.pattern); err != nil {
			return usagef("read configuration: %s: %s: %w", p.name, p.pattern, err)
		}
	}
	if s.Theme == "" {
		return nil
	}
	if _, ok := themes.For(s.Theme, true); !ok {
		return usagef("draw with theme %s: no such theme; there are %s", s.Theme, themeNames())
	}
	return nil
}

// themeNames lists the themes, for messages.
func themeNames() string { return strings.Join(themes.Names(), ", ") }
