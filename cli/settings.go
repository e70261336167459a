package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"k8s.io/apimachinery/pkg/api/validate/content"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// production matches the names of contexts that get the PROD badge, where the
// configuration file names none.
const production = "*prod*"

// settings are what the configuration file may set. The environment goes before
// it, and flags go before the environment.
type settings struct {
	Theme      string   `json:"theme"`
	ASCII      *bool    `json:"ascii"`
	Production string   `json:"production"` // pattern of context names
	ReadOnly   contexts `json:"readonly"`   // nothing is changed in these
	PoolLabel  string   `json:"pool-label"` // the label of nodes that holds their pool
}

// configFile is where the configuration file is looked for.
func configFile() string { return filepath.Join(xdg.ConfigHome, "fathom", "config.yaml") }

// readSettings reads the configuration file, if there is one, and the environment.
func readSettings(env func(string) string) (settings, error) {
	s := settings{Production: production}
	file := configFile()
	text, err := readFile(context.Background(), file, mostSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, usagef("read configuration: %w", err)
	default:
		if err := unmarshalOnly(text, &s); err != nil {
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
		s.ASCII = new(cells.WantsASCII(env))
	}
	return s, nil
}

// unmarshalOnly reads the one document of text. A second one is refused: YAML reads
// the first alone, and what the others protect would be protected by nothing.
func unmarshalOnly(text []byte, s *settings) error {
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
			return errors.New("it holds more than one document; put all settings into one, without ---")
		}
		if err := yaml.UnmarshalStrict(document, s); err != nil {
			return err
		}
	}
	return nil
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
	if err := model.CheckPattern(s.Production); err != nil {
		return usagef("read configuration: production: %q: %w", s.Production, err)
	}
	if err := s.ReadOnly.check(); err != nil {
		return usagef("read configuration: readonly: %w", err)
	}
	if s.PoolLabel != "" {
		if wrong := content.IsLabelKey(s.PoolLabel); len(wrong) > 0 {
			return usagef("read configuration: pool-label: %q is no label's key: %s", s.PoolLabel, wrong[0])
		}
	}
	if s.Theme == "" {
		return nil
	}
	if _, ok := themes.For(s.Theme, true); !ok {
		return usagef("draw with theme %s: no such theme; there are %s%s", s.Theme, themeNames(), didYouMean(s.Theme, themes.Names()...))
	}
	return nil
}

// themeNames lists the themes, for messages.
func themeNames() string { return strings.Join(themes.Names(), ", ") }
