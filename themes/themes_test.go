package themes

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"testing"

	"charm.land/lipgloss/v2"
)

// coloured are the themes that have colours.
func coloured() []Theme {
	return []Theme{Dark(), Light(), ColourBlind(true), ColourBlind(false)}
}

// roles are the styles of a theme by the names of their roles.
func roles(s Styles) map[string]lipgloss.Style {
	found := map[string]lipgloss.Style{}
	fields := reflect.ValueOf(s)
	for i := range fields.NumField() {
		found[fields.Type().Field(i).Name] = fields.Field(i).Interface().(lipgloss.Style)
	}
	return found
}

func TestEveryRoleCanBeRead(t *testing.T) {
	const enough = 4.5 // WCAG 2.2, AA
	for _, theme := range coloured() {
		extreme := color.Color(color.White)
		if theme.Dark {
			extreme = color.Black
		}
		for role, style := range roles(theme.Styles) {
			for _, back := range []color.Color{theme.Back, extreme} {
				if own := style.GetBackground(); own != (lipgloss.NoColor{}) {
					back = own
				}
				if got := contrast(rgbOf(style.GetForeground()), rgbOf(back)); got < enough {
					t.Errorf("%s (dark %t): %s has contrast %.2f, want %.1f", theme.Name, theme.Dark, role, got, enough)
				}
			}
		}
	}
}

func TestNoRoleIsForgotten(t *testing.T) {
	for _, theme := range coloured() {
		for role, style := range roles(theme.Styles) {
			if style.GetForeground() == (lipgloss.NoColor{}) {
				t.Errorf("%s (dark %t): %s has no colour", theme.Name, theme.Dark, role)
			}
		}
	}
}

func TestMonoHasNoColour(t *testing.T) {
	for role, style := range roles(Mono().Styles) {
		if style.GetForeground() != (lipgloss.NoColor{}) || style.GetBackground() != (lipgloss.NoColor{}) {
			t.Errorf("%s has a colour", role)
		}
	}
	if s := Mono().Styles; !s.Selected.GetReverse() || !s.BadgeProd.GetReverse() || !s.Changed.GetBold() {
		t.Error("selected, badges and changed must stand out without colour")
	}
}

func TestAPlainThemeHasNothingFaint(t *testing.T) {
	const large = 4.5 // WCAG 2.2, AAA for large text
	for _, theme := range append(coloured(), Mono()) {
		plain := theme.Plain()
		for role, style := range roles(plain.Styles) {
			if style.GetFaint() {
				t.Errorf("%s: %s is faint", theme.Name, role)
			}
			if style.GetForeground() == (lipgloss.NoColor{}) {
				continue
			}
			back := plain.Back
			if own := style.GetBackground(); own != (lipgloss.NoColor{}) {
				back = own
			}
			if got := contrast(rgbOf(style.GetForeground()), rgbOf(back)); got < large {
				t.Errorf("%s: %s has contrast %.2f, want %.1f", theme.Name, role, got, large)
			}
		}
		for _, role := range []string{"Text", "Dim", "Rule", "KeyOff", "Shade"} {
			if got := roles(plain.Styles)[role].GetForeground(); got != theme.Styles.Strong.GetForeground() {
				t.Errorf("%s: %s is drawn in %v", theme.Name, role, got)
			}
		}
		if reflect.DeepEqual(theme.Styles, plain.Styles) || !reflect.DeepEqual(theme.Plain().Plain().Styles, plain.Styles) {
			t.Errorf("%s: Plain has no effect, or has one twice", theme.Name)
		}
	}
}

func TestStatesDifferForThoseWhoDoNotSeeRedAndGreen(t *testing.T) {
	const apart = 25 // CIE76: 2.3 is the least that anybody notices
	for _, theme := range []Theme{ColourBlind(true), ColourBlind(false)} {
		for kind, simulate := range map[string]func(rgb) rgb{"deuteranopia": deuteranopia, "protanopia": protanopia} {
			seen := map[string]rgb{}
			for name, style := range map[string]lipgloss.Style{"ok": theme.Styles.OK, "warn": theme.Styles.Warn, "bad": theme.Styles.Bad} {
				seen[name] = simulate(rgbOf(style.GetForeground()))
				if got := contrast(seen[name], simulate(rgbOf(theme.Back))); got < 4.5 {
					t.Errorf("dark %t, %s: %s has contrast %.2f", theme.Dark, kind, name, got)
				}
			}
			for _, pair := range [][2]string{{"ok", "warn"}, {"ok", "bad"}, {"warn", "bad"}} {
				if got := distance(seen[pair[0]], seen[pair[1]]); got < apart {
					t.Errorf("dark %t, %s: %s and %s are %.1f apart, want %d", theme.Dark, kind, pair[0], pair[1], got, apart)
				}
			}
		}
	}
}

func TestAThemeIsFoundByItsName(t *testing.T) {
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			theme, ok := For(name, dark)
			if !ok {
				t.Fatalf("there is no theme %s", name)
			}
			if want := map[bool]string{true: "dark", false: "light"}[dark]; name == Auto && theme.Name != want {
				t.Errorf("auto on dark %t is %s", dark, theme.Name)
			}
			if name != Auto && theme.Name != name {
				t.Errorf("%s is named %s", name, theme.Name)
			}
		}
	}
	if theme, ok := For("colour-blind", true); !ok || theme.Name != "color-blind" {
		t.Error("the British spelling is not accepted")
	}
	if _, ok := For("sepia", true); ok {
		t.Error("found a theme that is none of Names")
	}
}

// rgb is a colour in linear light, each part 0 to 1.
type rgb [3]float64

func rgbOf(c color.Color) rgb {
	r, g, b, _ := c.RGBA()
	var made rgb
	for i, part := range []uint32{r, g, b} {
		v := float64(part) / 0xffff
		if v <= 0.04045 {
			made[i] = v / 12.92
		} else {
			made[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return made
}

func (c rgb) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast is the ratio of WCAG.
func contrast(a, b rgb) float64 {
	high, low := a.luminance(), b.luminance()
	if high < low {
		high, low = low, high
	}
	return (high + 0.05) / (low + 0.05)
}

// deuteranopia and protanopia are the matrices of Machado, Oliveira and
// Fernandes (2009) at full severity.
func deuteranopia(c rgb) rgb {
	return c.times([3]rgb{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}})
}

func protanopia(c rgb) rgb {
	return c.times([3]rgb{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}})
}

func (c rgb) times(m [3]rgb) rgb {
	var made rgb
	for i, row := range m {
		made[i] = min(max(row[0]*c[0]+row[1]*c[1]+row[2]*c[2], 0), 1)
	}
	return made
}

// distance is that of CIE76, in L*a*b*.
func distance(a, b rgb) float64 {
	la, lb := a.lab(), b.lab()
	return math.Hypot(math.Hypot(la[0]-lb[0], la[1]-lb[1]), la[2]-lb[2])
}

func (c rgb) lab() [3]float64 {
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.95047)
	y := f(c.luminance())
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func ExampleFor() {
	theme, _ := For(Auto, false)
	fmt.Println(theme.Name)
	// Output: light
}

func TestMonoTellsAWarningFromWhatIsBad(t *testing.T) {
	if s := Mono().Styles; s.Warn.Render("31m") == s.Bad.Render("31m") {
		t.Errorf("both are %q", s.Bad.Render("31m"))
	}
}
