package settings

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// themesFolder is where a user's themes are looked for.
func themesFolder() string { return filepath.Join(xdg.ConfigHome, "fathom", "themes") }

// themeSuffix ends the name of a theme's file.
const themeSuffix = ".yaml"

// ofTheme reports whether a fault is of the file of a theme of that name.
func (f Fault) ofTheme(name string) bool {
	file := filepath.Base(f.File)
	return strings.TrimSuffix(file, filepath.Ext(file)) == name
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
		path := filepath.Join(folder, file.Name())
		suffix := filepath.Ext(path)
		switch name := strings.TrimSuffix(file.Name(), suffix); {
		case file.IsDir(), !slices.Contains([]string{themeSuffix, ".yml"}, strings.ToLower(suffix)):
			continue
		case suffix != themeSuffix:
			all = append(all, Fault{File: path, Text: "only names with " + themeSuffix + " are read: rename it to " + name + themeSuffix})
			continue
		}
		theme, faults := readTheme(path)
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
	d.decode(&fields, "field")
	theme.Base, theme.Colors = fields.Base, fields.Colors
	judgeTheme(&theme, d)
	return theme, d.sorted()
}

// judgeTheme notes what is wrong with a theme.
func judgeTheme(theme *themes.Custom, d *document) {
	if slices.Contains(themes.Names(), theme.Name) {
		d.wrong("", fmt.Sprintf("%q is the name of a built-in theme: rename the file", theme.Name))
	}
	if bases := themes.Bases(); theme.Base != "" && !slices.Contains(bases, theme.Base) {
		d.wrong("base", fmt.Sprintf("%q is none of %s", theme.Base, strings.Join(bases, ", ")))
	}
	for _, role := range slices.Sorted(maps.Keys(theme.Colors)) {
		path := join("colors", role)
		if !slices.Contains(themes.Roles(), role) {
			d.unknown("colors", role, "role", themes.Roles())
			continue
		}
		if err := themes.CheckColor(theme.Colors[role]); err != nil {
			d.wrong(path, err.Error())
		}
	}
}
