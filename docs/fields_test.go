package docs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var jsonField = regexp.MustCompile("json:\"([A-Za-z]+)")

// TestEachFieldIsDocumented wants each field that scripts, lessons and settings use on
// the page that describes them.
func TestEachFieldIsDocumented(t *testing.T) {
	for page, sources := range map[string][]string{
		"guide/json.md": {
			"cli/get/access.go", "cli/get/rows.go", "cli/version.go", "cli/get/views.go", "cli/output/listing.go",
			"explain/report/*.go", "model/plan/document.go",
		},
		"guide/json-views.md": {"model/inventory/*.go", "explain/kubelet/*.go"},
		"guide/change.md":     {"model/plan/activity.go"},
		"guide/settings.md":   {"cli/settings/settings.go"},
		"guide/teach.md":      {"cli/lessonlist/lessonlist.go", "demo/lessons/lesson.go", "demo/lessons/faulteffect.go", "demo/lessons/lessonfault.go"},
	} {
		described := read(t, page)
		fields := 0
		for _, pattern := range sources {
			files, err := filepath.Glob("../" + pattern)
			if err != nil || len(files) == 0 {
				t.Errorf("%s: %v", pattern, err)
			}
			for _, path := range files {
				if strings.HasSuffix(path, "_test.go") {
					continue
				}
				for _, field := range jsonField.FindAllStringSubmatch(read(t, path), -1) {
					fields++
					if !regexp.MustCompile(`\b` + field[1] + `\b`).MatchString(described) {
						t.Errorf("%s does not have the field %s of %s", page, field[1], path)
					}
				}
			}
		}
		if fields == 0 {
			t.Errorf("%s: no field was found in %v", page, sources)
		}
	}
}
