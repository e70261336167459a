package query

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func TestARegularExpressionIsBounded(t *testing.T) {
	const repeats = "the regular expression has too many repetitions"
	for _, c := range []struct{ text, cause string }{
		{"web|shop", ""},
		{strings.Repeat("checkout|", 100) + "x", ""},
		{"(a{10}){10}", ""},
		{`\pL{100}`, ""},
		{".{1000}", ""},
		{strings.Repeat("a", longestExpression), ""},
		{strings.Repeat("a", longestExpression+1), "the regular expression is longer than 1,000 characters"},
		{strings.Repeat("a", 10_000), "the regular expression is longer than 1,000 characters"},
		{"(abcdefghij){1000}", repeats},
		{"((abc){100}){10}", repeats},
		{strings.Repeat("x{1000}", 100), repeats},
		{"(((a?b?){10}){10}){10}", repeats},
		{"((a{100}){100})", "invalid repeat count: {100}"},
		{"a(", "missing closing )"},
	} {
		found, cause := readExpression(c.text)
		if cause != c.cause || (cause == "") != (found != nil) {
			t.Errorf("%.30s (%d characters): %q, want %q", c.text, len(c.text), cause, c.cause)
		}
	}
}

func TestAFilterIsRenewedWithoutReadingItsExpressionAgain(t *testing.T) {
	s := fleet()
	filter, err := Compile(NodeFields(modeltest.Epoch, s.Usage), "/gpu|std/ age>1d -l disk=ssd !spot")
	if err != nil {
		t.Fatal(err)
	}
	later := filter.With(NodeFields(modeltest.Epoch, nil))
	if later.terms[0].find != filter.terms[0].find || later.Text() != filter.Text() {
		t.Error("the expression was read again")
	}
	for _, node := range s.Nodes {
		if later.Match(node) != filter.Match(node) {
			t.Errorf("%s is kept by one of them only", node.Name)
		}
	}
	if ages := filter.With(NodeFields(modeltest.Epoch.Add(-1000*24*time.Hour), nil)); ages.Match(s.Nodes[0]) || !filter.Match(s.Nodes[0]) {
		t.Error("ages are still counted to the time before")
	}
}

func TestOnlyAFilterWithARegularExpressionHasOne(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "web": false, "shop/web": false, `"/a/"`: false, "-l a=b": false, "cpu>1": false, "label~/": false,
		"/": false, "/a": true, "!/a/": true, "web /a|b/ cpu>1": true,
	} {
		if HasExpression(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
