package figures

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 12 * time.Second: "12s", time.Minute: "1m", 2*time.Minute + 10*time.Second: "2m10s",
		59*time.Minute + 59600*time.Millisecond: "1h0m", 3*time.Hour + 5*time.Minute: "3h5m",
	} {
		if got := Clock(d); got != want {
			t.Errorf("%s is %s, want %s", d, got, want)
		}
	}
}

func TestNodesThatHaveTheCommonDomainAreNamedWithoutIt(t *testing.T) {
	for _, test := range []struct{ nodes, want string }{
		{"", ""},
		{"a b", ""},
		{"a.eu.internal b.eu.internal", ".eu.internal"},
		{"a.eu.internal b.eu.internal gpu-1", ".eu.internal"},
		{"a.us.internal b.eu.internal c.eu.internal", ".eu.internal"},
		{"a a.eu.internal b.eu.internal", ""}, // a would be there twice
		{"a.5 b.5", ""},                       // as in cpu 3.55
		{"a. .b", ""},
	} {
		var nodes []*model.Node
		for name := range strings.FieldsSeq(test.nodes) {
			nodes = append(nodes, &model.Node{Name: name})
		}
		if got := SharedDomain(nodes); got != test.want {
			t.Errorf("of %q it is %q, not %q", test.nodes, got, test.want)
		}
	}
}

func TestTheDomainOfNodesIsLeftOutOfTheirNamesOnly(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"uncordon a.eu.internal, b.eu.internal and c.", "uncordon a, b and c."},
		{"It fits a.eu.internal.", "It fits a."},
		{"hostname=a.eu.internal (1)", "hostname=a (1)"},
		{"label a.eu.internal/pool", "label a.eu.internal/pool"},
		{"a.eu.internal.org has it", "a.eu.internal.org has it"},
		{"the domain .eu.internal", "the domain .eu.internal"},
	} {
		if got := WithoutDomain(test.text, ".eu.internal"); got != test.want {
			t.Errorf("%q becomes %q, not %q", test.text, got, test.want)
		}
	}
}
