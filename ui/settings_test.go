package ui

import (
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/column"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// ownColumns are columns of a user.
func ownColumns(t *testing.T, specs ...column.Spec) []*column.Column {
	t.Helper()
	var all []*column.Column
	for _, spec := range specs {
		c, _, err := column.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func TestColumnsOfTheSettingsAreDrawn(t *testing.T) {
	for _, whole := range []bool{true, false} {
		app := nodesOf(t, 140, 24, func(c *prodEU) {
			c.edit("std-a-01", func(n *corev1.Node) { n.Labels["example.com/rack"] = "r17" })
		}, func(o *Options) {
			o.Columns.Whole = whole
			o.Columns.Nodes = ownColumns(t, column.Spec{Label: "example.com/rack"}, column.Spec{Head: "CALLED", CEL: `"<" + object.metadata.name + ">"`})
			o.Columns.Pods = ownColumns(t, column.Spec{Head: "ON", CEL: `"on " + object.spec.nodeName`})
		})
		nodes := screen(app)
		press(t, app, "2")
		pods := screen(app)
		if !strings.Contains(nodes, " RACK ") || !strings.Contains(nodes, " CALLED ") || !strings.Contains(nodes, " r17 ") || !strings.Contains(pods, " ON ") {
			t.Errorf("the columns are not drawn:\n%s\n%s", nodes, pods)
		}
		if strings.Contains(nodes, "<std-a-01>") != whole || strings.Contains(pods, "on std-a-01") != whole {
			t.Errorf("whole %v: the values of expressions are\n%s\n%s", whole, nodes, pods)
		}
	}
}

func TestKeysOfTheSettingsDoWhatTheBuiltInOnesDo(t *testing.T) {
	app := nodesOf(t, 100, 24, func(*prodEU) {}, func(o *Options) {
		o.Keys = keymap.Default().With(map[keymap.Action]keymap.Own{keymap.Pods: {Keys: []string{"ä"}}})
	})
	before := screen(app)
	press(t, app, "?")
	if help := screen(app); !strings.Contains(help, "2/ä") {
		t.Errorf("the help does not name the key:\n%s", help)
	}
	press(t, app, "esc", "ä")
	other := screen(app)
	if other == before || !strings.Contains(other, "NAMESPACE/NAME") {
		t.Errorf("the key does nothing:\n%s", other)
	}
	press(t, app, "3")
	if screen(app) != before {
		t.Errorf("a built-in key has changed:\n%s", screen(app))
	}
}

func TestKeysOfTheSettingsAreInTheFooterAndDoTheSameInTheMenu(t *testing.T) {
	app := nodesOf(t, 100, 24, func(*prodEU) {}, func(o *Options) {
		o.Keys = keymap.Default().With(map[keymap.Action]keymap.Own{keymap.Cordon: {Keys: []string{"ö"}}})
	})
	rows := strings.Split(screen(app), "\n")
	if footer := rows[len(rows)-1]; !strings.Contains(footer, "c/ö cordon") {
		t.Errorf("the footer does not name the key: %q", footer)
	}
	press(t, app, "ö")
	asked := screen(app)
	press(t, app, "esc", "a")
	menu := screen(app)
	press(t, app, "ö")
	if again := screen(app); again != asked || menu == asked || !strings.Contains(asked, "ordon") {
		t.Errorf("the key does something else in the menu:\n%s\n%s", asked, again)
	}
}

// A key of the settings can take the place of the built-in one, which another action may have then.
func TestKeysOfTheSettingsTakeThePlaceOfBuiltInOnes(t *testing.T) {
	app := nodesOf(t, 100, 24, func(*prodEU) {}, func(o *Options) {
		o.Keys = keymap.Default().With(map[keymap.Action]keymap.Own{
			keymap.Cordon: {Keys: []string{"ö"}, Only: true}, keymap.Uncordon: {Keys: []string{"c"}, Only: true},
		})
	})
	before := screen(app)
	rows := strings.Split(before, "\n")
	if footer := rows[len(rows)-1]; !strings.Contains(footer, " ö cordon") && !strings.HasPrefix(footer, "ö cordon") {
		t.Errorf("the footer does not name the key: %q", footer)
	}
	press(t, app, "u")
	if after := screen(app); after != before {
		t.Errorf("the key that was given up does something:\n%s", after)
	}
	press(t, app, "a")
	menu := screen(app)
	for _, want := range []string{"ö  *cordon", "c  *uncordon"} {
		if !regexp.MustCompile(want).MatchString(menu) {
			t.Errorf("the menu lacks %q:\n%s", want, menu)
		}
	}
	press(t, app, "ö")
	if asked := screen(app); asked == menu || !strings.Contains(asked, "ordon") {
		t.Errorf("the key does not cordon:\n%s", asked)
	}
}

func TestThemesOfTheUserCanBeChosen(t *testing.T) {
	mine := themes.Custom{Name: "mine", Base: "dark", Colors: map[string]string{"text": "#123456"}}
	app := nodesOf(t, 100, 24, func(*prodEU) {}, func(o *Options) { o.Themes, o.Theme = themes.Gallery{Custom: []themes.Custom{mine}}, "mine" })
	if app.theme.Name != "mine" {
		t.Errorf("the theme is %s", app.theme.Name)
	}
	press(t, app, ":")
	write(t, app, "theme mi")
	if !strings.Contains(screen(app), "theme mine") {
		t.Errorf("the palette does not have the theme:\n%s", screen(app))
	}
}
