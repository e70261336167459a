package themes

import (
	"reflect"
	"slices"
	"testing"

	"charm.land/lipgloss/v2"
)

func TestAThemeOfAUserChangesOnlyItsRoles(t *testing.T) {
	for name, c := range map[string]struct {
		base string
		dark bool
		want Theme
	}{
		"of auto on dark":        {"", true, Dark()},
		"of auto on light":       {Auto, false, Light()},
		"of dark on light":       {"dark", false, Dark()},
		"of light on dark":       {"light", true, Light()},
		"of color-blind on dark": {"color-blind", true, ColourBlind(true)},
	} {
		t.Run(name, func(t *testing.T) {
			gallery := Gallery{Custom: []Custom{{Name: "mine", Base: c.base, Colors: map[string]string{"bad": "#123456", "bar-used": "117"}}}}
			got, ok := gallery.For("mine", c.dark)
			if !ok || got.Name != "mine" || got.Dark != c.want.Dark {
				t.Fatalf("got %v %+v", ok, got)
			}
			if got.Styles.Bad.GetForeground() != lipgloss.Color("#123456") || got.Styles.BarUsed.GetForeground() != lipgloss.Color("117") {
				t.Error("a role has not the color of the file")
			}
			got.Styles.Bad, got.Styles.DiffDel, got.Styles.BarUsed = c.want.Styles.Bad, c.want.Styles.DiffDel, c.want.Styles.BarUsed
			if !reflect.DeepEqual(got.Styles, c.want.Styles) {
				t.Error("another role has changed")
			}
		})
	}
}

func TestEachRoleOfAFileHasAnEffect(t *testing.T) {
	for _, role := range Roles() {
		mine := Custom{Name: "mine", Base: "dark", Colors: map[string]string{role: "#123456"}}
		if got := mine.theme(true); reflect.DeepEqual(got.Styles, Dark().Styles) {
			t.Errorf("%s changes nothing", role)
		}
	}
}

func TestColorsThatAreNone(t *testing.T) {
	for _, good := range []string{"#87d7ff", "#8DF", "0", "255"} {
		if err := CheckColor(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "blue", "#87d7f", "87d7ff", "256", "-1", "07", "#gggggg"} {
		if CheckColor(bad) == nil {
			t.Errorf("%q is taken for a color", bad)
		}
	}
}

func TestBuiltInThemesAreInEachGallery(t *testing.T) {
	gallery := Gallery{Custom: []Custom{{Name: "mine"}, {Name: "dark", Colors: map[string]string{"text": "1"}}}}
	for _, name := range Names() {
		want, _ := For(name, true)
		if got, ok := gallery.For(name, true); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is another one", name)
		}
	}
	if names := gallery.Names(); !slices.Contains(names, "mine") {
		t.Errorf("names %v", names)
	}
	if _, ok := gallery.For("none", true); ok {
		t.Error("a theme that does not exist is found")
	}
}
