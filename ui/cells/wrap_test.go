package cells

import (
	"slices"
	"strings"
	"testing"
)

func TestTextsTakeMoreLinesWhereRowsAreFree(t *testing.T) {
	texts := []string{"one", "two and three", "  four and five"}
	for rows, want := range map[int][]string{
		2: {"one", "two and …", "  four a…"},
		3: {"one", "two and …", "  four a…"},
		4: {"one", "two and", "three", "  four a…"},
		6: {"one", "two and", "three", "  four", "  and", "  five"},
		9: {"one", "two and", "three", "  four", "  and", "  five"},
	} {
		if got := slices.Concat(Fill(texts, 9, rows)...); !slices.Equal(got, want) {
			t.Errorf("in %d rows: %q, want %q", rows, got, want)
		}
	}
}

func TestTheBeginningGivesWay(t *testing.T) {
	for width, want := range map[int]string{14: "europe-west1-b", 13: "…rope-west1-b", 4: "…1-b", 2: "…b", 1: "…", 0: ""} {
		if got := CutStart("europe-west1-b", width); got != want {
			t.Errorf("in %d cells: %q, want %q", width, got, want)
		}
	}
}

func TestLongNamesGiveWayBeforeWhatIsSaidOfThem(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"std-b-02 needs 50m more", "std-b-02 needs 50m more"},
		{"gke-lumen-eu-ssd-pool-bb034b98-5fk2 needs 9.7Gi more", "gke-…5fk2 needs 9.7Gi more"},
		{"anti-affinity: one per node, each has one", "anti-affinity: one per node, each has one"},
		{"team-012/cache-bgq8-td8rzkbbk-data does not exist", "cache…-data does not exist"},
		{"claim team-3/cache-data is gone", "claim …/cache-data is gone"},
		{"no label example.com/room-of-the-long-name", "no label example.com/room-of-the-long-name"},
		{"disk=very-long-value-of-a-label: 9 have another", "disk=very-long-value-of-a-label: 9 have another"},
	} {
		if got := CutNames(test.text, 26); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
	}
}

// TestWhatADotSetsApartDoesNotStandAlone on a line.
func TestWhatADotSetsApartDoesNotStandAlone(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"no lower-priority pod on suitable nodes · p", 41, "no lower-priority pod on suitable|nodes · p"},
		{"no lower-priority pod on suitable nodes · p", 43, "no lower-priority pod on suitable nodes · p"},
		{"abcdef · p", 6, "abcdef|· p"},
		{"a · b", 3, "a|· b"},
	} {
		if got := strings.Join(Wrap(test.text, test.width), "|"); got != test.want {
			t.Errorf("%q in %d cells is %q, want %q", test.text, test.width, got, test.want)
		}
	}
}
