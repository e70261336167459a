package model

import "testing"

func TestAPatternOfContextsMatchesTheWholeNameOrItsLastPart(t *testing.T) {
	const eks = "arn:aws:eks:eu-central-1:123456789012:cluster/prod-eu"
	for name, test := range map[string]struct {
		pattern, context string
		want             bool
	}{
		"a part of the name":         {"*prod*", "gke_x_europe_prod-eu", true},
		"over a slash":               {"arn*prod-eu", eks, true},
		"the last part alone":        {"prod-*", eks, true},
		"a pattern with a slash":     {"*:cluster/prod-eu", eks, true},
		"one of some letters":        {"prod-[eu]*", "prod-us", true},
		"another context":            {"*prod*", "staging-eu", false},
		"a part, where all is meant": {"prod", "prod-eu", false},
		"no pattern":                 {"", "prod-eu", false},
		"a pattern that is broken":   {"[", "prod-eu", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := MatchContext(test.pattern, test.context); got != test.want {
				t.Errorf("%q matches %q: %v, want %v", test.pattern, test.context, got, test.want)
			}
		})
	}
}

func TestAContextIsNamedShortlyWhereThatIsClear(t *testing.T) {
	all := []Context{{Name: "gke_a_prod"}, {Name: "gke_b_prod"}, {Name: "gke_b_test"}, {Name: "kind_"}}
	for name, want := range map[string]string{
		"gke_a_prod": "gke_a_prod", "gke_b_test": "test", "kind_": "kind_", "plain": "plain",
	} {
		if got := ShortContext(name, all); got != want {
			t.Errorf("%s is named %s, want %s", name, got, want)
		}
	}
}

func TestAProductionContextIsOneWhateverItsCapitalLetters(t *testing.T) {
	for _, test := range []struct {
		pattern, context string
		want             bool
	}{
		{"*prod*", "PROD-eu", true},
		{"*prod*", "Production", true},
		{"Live-*", "live-eu", true},
		{"*prod*", "staging", false},
		{"", "prod", false},
	} {
		if got := MatchProduction(test.pattern, test.context); got != test.want {
			t.Errorf("%q matches %q: %t, want %t", test.pattern, test.context, got, test.want)
		}
	}
}
