package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// themesFolder is where a user's themes are looked for.
func themesFolder() string { return filepath.Join(xdg.ConfigHome, "fathom", "themes") }

// themeSuffix ends the name of a theme's file.
const themeSuffix = ".yaml"

// themeFile is the file of a theme of that name.
func themeFile(name string) string {
	return filepath.Join(themesFolder(), filepath.Base(name)+themeSuffix)
}

// themeFields are what a theme's file holds.
type themeFields struct {
	Base   string            `json:"base"`
	Colors map[string]string `json:"colors"`
}

// readThemes reads the themes of a folder, which need not exist. Those with a fault are left
// out.
func readThemes(folder string) (themes.Gallery, []Fault) {
	var gallery themes.Gallery
	files, err := os.ReadDir(folder)
	if err != nil {
		return gallery, nil
	}
	var all []Fault
	for _, file := range files {
		if file.IsDir() || !strings.HasSuffix(file.Name(), themeSuffix) {
			continue
		}
		theme, faults := readTheme(filepath.Join(folder, file.Name()))
		if len(faults) > 0 {
			all = append(all, faults...)
			continue
		}
		gallery.Custom = append(gallery.Custom, theme)
	}
	return gallery, all
}

// readTheme reads the file of a theme, which is named as the file is.
func readTheme(file string) (themes.Custom, []Fault) {
	theme := themes.Custom{Name: strings.TrimSuffix(filepath.Base(file), themeSuffix)}
	text, err := input.ReadSettings(file)
	if err != nil {
		return theme, []Fault{{File: file, Text: err.Error()}}
	}
	d := newDocument(file, text)
	var fields themeFields
	for _, e := range d.top {
		if !slices.Contains(themeNames, e.name) {
			d.unknown(e.name, "field", themeNames)
			continue
		}
		if err := yaml.UnmarshalStrict(e.text, &fields); err != nil {
			d.misread(e.name, err)
		}
	}
	theme.Base, theme.Colors = fields.Base, fields.Colors
	judgeTheme(&theme, d)
	return theme, d.sorted()
}

// themeNames are the fields of a theme's file.
var themeNames = []string{"base", "colors"}

// judgeTheme notes what is wrong with a theme.
func judgeTheme(theme *themes.Custom, d *document) {
	if slices.Contains(themes.Names(), theme.Name) {
		d.wrong("", fmt.Sprintf("%q is the name of a built-in theme: rename the file", theme.Name))
	}
	if bases := themes.Bases(); theme.Base != "" && !slices.Contains(bases, theme.Base) {
		d.wrong("base", fmt.Sprintf("%q is none of %s", theme.Base, strings.Join(bases, ", ")))
	}
	for role, color := range theme.Colors {
		path := join("colors", role)
		if !slices.Contains(themes.Roles(), role) {
			d.unknown(path, "role", themes.Roles())
			continue
		}
		if err := themes.CheckColor(color); err != nil {
			d.wrong(path, err.Error())
		}
	}
}
