package get

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const fieldsFile = "testdata/fields.txt"

// fields adds a line for each field: its path, its types, and whether it may be left out.
func (s *schema) fields(path string, required bool, lines *[]string) {
	types := []string{"any"}
	switch of := s.Type.(type) {
	case string:
		types = []string{of}
	case []string:
		types = slices.Sorted(slices.Values(of))
	}
	line := path + " " + strings.Join(types, "|")
	if !required {
		line += " optional"
	}
	*lines = append(*lines, line)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		s.Properties[name].fields(path+"."+name, slices.Contains(s.Required, name), lines)
	}
	if s.Items != nil {
		s.Items.fields(path+"[]", true, lines)
	}
	if s.AdditionalProperties != nil {
		s.AdditionalProperties.fields(path+"{}", true, lines)
	}
}

// allFields are the fields of all kinds.
func allFields(t *testing.T) []string {
	t.Helper()
	var lines []string
	for kind, schema := range generated(t) {
		schema.fields(kind, true, &lines)
	}
	slices.Sort(lines)
	return lines
}

// TestNoFieldThatScriptsReadIsLost compares all fields with those that were recorded: one that
// is gone, of another type or optional now breaks scripts that were written for it. New ones
// are recorded with -update, which keeps the old.
func TestNoFieldThatScriptsReadIsLost(t *testing.T) {
	text, err := os.ReadFile(fieldsFile)
	if err != nil {
		t.Fatal(err)
	}
	recorded := strings.Split(strings.TrimSpace(string(text)), "\n")
	now := allFields(t)
	if *update {
		all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(recorded, now))))
		if err := os.WriteFile(fieldsFile, []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		recorded = all
	}
	for _, line := range recorded {
		if _, ok := slices.BinarySearch(now, line); !ok {
			t.Errorf("%q is not so any more: scripts rely on it", line)
		}
	}
	for _, line := range now {
		if !slices.Contains(recorded, line) {
			t.Errorf("%q is not recorded: run go test ./cli/get -run Field -update", line)
		}
	}
}

func TestFieldsThatChangeAreNoticed(t *testing.T) {
	of := func(s *schema) string {
		var lines []string
		s.fields("Kind", true, &lines)
		return strings.Join(lines, "\n")
	}
	before := func() *schema {
		return &schema{Type: "object", Required: []string{"name"}, Properties: map[string]*schema{
			"name": {Type: "string"}, "items": {Type: []string{"null", "array"}, Items: &schema{Type: "integer"}}, "more": {Type: "object", AdditionalProperties: &schema{}},
		}}
	}
	const want = "Kind object\nKind.items array|null optional\nKind.items[] integer\nKind.more object optional\nKind.more{} any\nKind.name string"
	if got := of(before()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for name, change := range map[string]func(*schema){
		"a field is gone":                func(s *schema) { delete(s.Properties, "name") },
		"a field is of another type":     func(s *schema) { s.Properties["name"].Type = "integer" },
		"a field may be left out":        func(s *schema) { s.Required = nil },
		"a list is never null":           func(s *schema) { s.Properties["items"].Type = "array" },
		"items are of another type":      func(s *schema) { s.Properties["items"].Items.Type = "string" },
		"an object holds texts, not any": func(s *schema) { s.Properties["more"].AdditionalProperties.Type = "string" },
	} {
		s := before()
		change(s)
		if of(s) == want {
			t.Errorf("%s: it is not noticed", name)
		}
	}
}
