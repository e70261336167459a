// Package settings is the configuration file, with the environment and the flags that go before it.
package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"k8s.io/apimachinery/pkg/api/validate/content"
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
	Columns    Columns  `json:"columns"`    // more columns of Nodes and Pods
	Keys       Keys     `json:"keys"`       // more keys of actions

	themeFrom string         // who set the theme: a variable or a flag; "" is the file
	gallery   themes.Gallery // with the themes of the user
	doc       *document      // the file; nil without
}

// Levels are percentages of what is allocatable; 0 is the default.
type Levels struct {
	Tight int `json:"tight"`
	Full  int `json:"full"`
}

// check says what is wrong with the levels; "" is nothing.
func (l Levels) check() string {
	tight, full := l.Percent()
	if tight < 1 || full > 100 || tight >= full {
		return fmt.Sprintf("tight %d, full %d: both are percentages, and tight must be less than full", tight, full)
	}
	return ""
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
	s := Settings{Production: production}
	file := File()
	text, err := input.ReadSettings(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, exit.Usagef("read configuration: %w", err)
	default:
		s.doc = newDocument(file, text)
		s.decode(s.doc)
		if err := asError(s.doc.sorted()); err != nil {
			return s, err
		}
	}
	s.gallery, _ = readThemes(themesFolder()) // config check says what is wrong with one that nobody asks for
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

// decode reads the settings of a document. What is wrong is noted in it; then the settings
// that are right are set all the same.
func (s *Settings) decode(d *document) {
	if len(d.faults) > 0 || d.text == nil {
		return
	}
	err := yaml.UnmarshalStrict(d.text, s)
	if err == nil {
		return
	}
	*s = Settings{Production: production, doc: d}
	for _, e := range d.top {
		if !slices.Contains(names, e.name) {
			d.unknown(e.name, "setting", names)
			continue
		}
		if err := yaml.UnmarshalStrict(e.text, s); err != nil {
			d.misread(e.name, err)
		}
	}
	if len(d.faults) == 0 {
		d.wrong("", inYAML(err))
	}
}

// names are those of all settings.
var names = []string{"theme", "ascii", "production", "readonly", "pool-label", "preview", "levels", "columns", "keys"}

// inYAML words an error of the decoder, which reads YAML by way of JSON, for the file's
// reader.
func inYAML(err error) string {
	text := err.Error()
	if _, field, ok := strings.Cut(text, "json: unknown field "); ok {
		return "unknown field " + field
	}
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return fmt.Sprintf("it must be %s, not %s", wanted(wrong.Type.Kind()), cmp.Or(inFile[wrong.Value], wrong.Value))
	}
	return strings.TrimPrefix(strings.TrimPrefix(text, "error unmarshaling JSON: "), "while decoding JSON: ")
}

// inFile are the decoder's words for what a file holds, as its reader knows them.
var inFile = map[string]string{
	"array": "a list", "object": "a mapping", "string": "text", "bool": "true or false", "number": "a number", "null": "nothing",
}

// wanted is what a setting of such a kind may be.
func wanted(kind reflect.Kind) string {
	switch kind {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	}
	return "a mapping"
}

// unknownField is how the decoder names a field that there is none of.
var unknownField = regexp.MustCompile(`unknown field "([^"]*)"`)

// misread notes an error of the decoder about a setting, where it is as far as that is known.
func (d *document) misread(name string, err error) {
	path := name
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) && d.lines[wrong.Field] > 0 {
		path = wrong.Field
	}
	if found := unknownField.FindStringSubmatch(err.Error()); found != nil {
		for at := range d.lines {
			if strings.HasPrefix(at, name) && strings.HasSuffix(at, "."+found[1]) {
				path = at[:len(at)-len(found[1])-1]
				d.faults = append(d.faults, Fault{File: d.file, Line: d.lines[at], Path: path, Text: inYAML(err)})
				return
			}
		}
	}
	d.wrong(path, inYAML(err))
}

// Checked are readSettings where no flag sets any.
func Checked(env func(string) string) (Settings, error) {
	s, err := Read(env)
	if err == nil {
		err = s.Check()
	}
	return s, err
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
	if err := asError(d.sorted()); err != nil {
		return err
	}
	if s.themeFrom == "" {
		return nil
	}
	if wrong := s.checkTheme(); wrong != "" {
		return exit.Usagef("%s: %s", s.themeFrom, wrong)
	}
	return nil
}

// judge notes the settings that mean nothing.
func (s *Settings) judge(d *document) {
	if err := model.CheckPattern(s.Production); err != nil {
		d.wrong("production", fmt.Sprintf("%q: %v", s.Production, err))
	}
	if err := s.ReadOnly.check(); err != nil {
		d.wrong("readonly", err.Error())
	}
	if s.PoolLabel != "" {
		if wrong := content.IsLabelKey(s.PoolLabel); len(wrong) > 0 {
			d.wrong("pool-label", fmt.Sprintf("%q is not a label key: %s", s.PoolLabel, wrong[0]))
		}
	}
	if wrong := s.Levels.check(); wrong != "" {
		d.wrong("levels", wrong)
	}
	s.Columns.judge(d)
	s.Keys.judge(d)
	if s.themeFrom == "" && s.Theme != "" && s.Theme != "mono" {
		if wrong := s.checkTheme(); wrong != "" {
			d.wrong("theme", wrong)
		}
	}
}

// checkTheme says what is wrong with the name of the theme; "" is nothing.
func (s *Settings) checkTheme() string {
	if _, ok := s.gallery.For(s.Theme, true); ok || s.Theme == "" {
		return ""
	}
	file := themeFile(s.Theme)
	if _, faults := readTheme(file); len(faults) > 0 && faults[0].Line > 0 {
		return faults[0].String()
	}
	return fmt.Sprintf("no theme %q: choose one of %s%s", s.Theme, strings.Join(s.gallery.Names(), ", "), suggest.DidYouMean(s.Theme, s.gallery.Names()...))
}

// Gallery are all themes, with those of the user.
func (s *Settings) Gallery() themes.Gallery { return s.gallery }

// ThemeNames lists the built-in themes, for help.
func ThemeNames() string { return strings.Join(themes.Names(), ", ") }
