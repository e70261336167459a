package plan

import (
	"slices"
	"testing"
)

func TestAnAnswerHasWhatTheChangeSays(t *testing.T) {
	taint := func(key, value string) map[string]any {
		return map[string]any{"key": key, "value": value, "effect": "NoSchedule"}
	}
	timed := taint("a", "1")
	timed["timeAdded"] = "2026-01-01T00:00:00Z"
	gate := func(name string) map[string]any { return map[string]any{"name": name} }
	cordon := Edit{Path: unschedulablePath, To: true}
	label := func(from, to any) Edit { return Edit{Path: []string{"metadata", "labels", "a"}, From: from, To: to} }
	for name, test := range map[string]struct {
		edit Edit
		now  any
		has  bool
		made bool // it is another value than before
	}{
		"a field that is set":                          {cordon, true, true, true},
		"one that is left as it was":                   {cordon, nil, false, false},
		"one that is removed":                          {label("1", nil), nil, true, true},
		"one that is put back":                         {label("1", nil), "1", false, false},
		"one that gets another value":                  {label("1", "2"), "3", false, true},
		"a label without a value":                      {label(nil, ""), "", true, true},
		"a number":                                     {Edit{Path: []string{"spec", "replicas"}, From: int64(2), To: int64(3)}, int64(3), true, true},
		"a taint, whenever it was added":               {Edit{Path: taintsPath, To: []any{taint("a", "1")}}, []any{timed}, true, true},
		"a taint beside those that a webhook adds":     {Edit{Path: taintsPath, To: []any{taint("a", "1")}}, []any{taint("b", ""), timed}, true, true},
		"a taint with another value":                   {Edit{Path: taintsPath, To: []any{taint("a", "1")}}, []any{taint("a", "2")}, false, true},
		"a taint that is removed, the others whatever": {Edit{Path: taintsPath, From: []any{taint("a", "1"), taint("b", "")}, To: []any{taint("b", "")}}, nil, true, true},
		"a taint that comes back":                      {Edit{Path: taintsPath, From: []any{taint("a", "1")}}, []any{taint("a", "1")}, false, false},
		"the last gate that is removed":                {Edit{Path: gatesPath, From: []any{gate("a")}}, nil, true, true},
		"a gate that stays":                            {Edit{Path: gatesPath, From: []any{gate("a"), gate("b")}, To: []any{gate("b")}}, []any{gate("a"), gate("b")}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			object := map[string]any{}
			put(object, test.edit.Path, test.now)
			made, missing := Change{Edits: []Edit{test.edit}}.Made(object)
			if (len(missing) == 0) != test.has || !test.has && !slices.Equal(missing, []string{pathWords(test.edit.Path)}) {
				t.Errorf("missing is %v", missing)
			}
			if (len(made.Edits) == 1) != test.made {
				t.Errorf("made is %+v", made.Edits)
			}
		})
	}
}
