package query

import (
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// BenchmarkKeystroke is the time from a compiled filter to its rows, of 50,000 pods.
func BenchmarkKeystroke(b *testing.B) {
	builder := fill(5_000, 10)
	s := builder.Build(1, model.Status{}, nil)
	fields := PodFields(modeltest.Epoch.Add(time.Hour), s)
	for _, c := range []struct{ name, before, filter string }{
		{"substring", "", "app-77"},
		{"one-letter", "", "a"},
		{"fuzzy", "", "tm7p9"},
		{"compare", "", "cpu>200m age<1d"},
		{"labels", "", "-l app=app-77"},
		{"regex-with-text", "", "/crash|team-07.*9$/"},
		{"regex-without", "", "/[7-9]{4}/"},
		{"quoted", "", `"10.0.0.1"`},
		{"narrowing", "app-7", "app-77"},
		{"narrowing-more", "app-77", "app-77 status=Running"},
	} {
		b.Run(c.name, func(b *testing.B) {
			before, err := Compile(fields, c.before)
			if err != nil {
				b.Fatal(err)
			}
			last, err := before.Apply(b.Context(), s.Pods, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				filter, err := Compile(fields, c.filter)
				if err != nil {
					b.Fatal(err)
				}
				result, err := filter.Apply(b.Context(), s.Pods, last)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(result.Rows)), "rows")
			}
		})
	}
}

func BenchmarkSort(b *testing.B) {
	builder := fill(5_000, 10)
	s := builder.Build(1, model.Status{}, nil)
	fields := PodFields(modeltest.Epoch.Add(time.Hour), s)
	for _, field := range []string{"node", "age", "cpu"} {
		b.Run(field, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fields.Sort(s.Pods, field, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
