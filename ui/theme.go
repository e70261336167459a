package ui

import "github.com/kubectl-fathom/kubectl-fathom/themes"

// dress selects the theme by the options and the terminal.
func (a *App) dress() {
	name := a.Theme
	if !a.colours {
		name = "mono"
	}
	theme, ok := a.Themes.For(name, a.dark)
	if !ok {
		theme, _ = themes.For(themes.Auto, a.dark)
	}
	if a.Large {
		theme = theme.Plain()
	}
	a.theme = theme
}

// styles are those of the theme in force.
func (a *App) styles() *themes.Styles { return &a.theme.Styles }
