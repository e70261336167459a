package e2e

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	grafanaprometheus "github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// TestGrafanaReadsTheDashboard decodes the dashboard, its panels and its queries with the
// types that Grafana generates of its own schema: a field that is unknown, missing or of
// another type is an error.
func TestGrafanaReadsTheDashboard(t *testing.T) {
	text, err := os.ReadFile("../docs/metrics/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	runtime := cog.NewRuntime()
	runtime.RegisterDataqueryVariant(grafanaprometheus.VariantConfig())
	runtime.RegisterPanelcfgVariant(stat.VariantConfig())
	runtime.RegisterPanelcfgVariant(table.VariantConfig())
	runtime.RegisterPanelcfgVariant(timeseries.VariantConfig())

	if _, failures := readDashboard(t, text); len(failures) != 0 {
		t.Error(failures)
	}
	for name, change := range map[string]struct{ from, to string }{
		"an unknown field of a panel":   {`"colorMode"`, `"colourMode"`},
		"a number as the title":         {`"title": "fathom: pending pods"`, `"title": 1`},
		"an unknown field of a query":   {`"legendFormat"`, `"legend_format"`},
		"an unknown type of a variable": {`"hide": 0`, `"hide": "no"`},
	} {
		broken := strings.Replace(string(text), change.from, change.to, 1)
		if broken == string(text) {
			t.Fatalf("%s: the dashboard has no %s", name, change.from)
		}
		if _, failures := readDashboard(t, []byte(broken)); len(failures) == 0 {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// readDashboard decodes a dashboard, and gives what is wrong with it.
func readDashboard(t *testing.T, text []byte) (read dashboard.Dashboard, failures []error) { //nolint:staticcheck // every Grafana imports this schema, v2 only the newest
	t.Helper()
	for _, err := range []error{read.UnmarshalJSONStrict(text), read.Validate()} {
		var several cog.BuildErrors // also without any
		switch {
		case errors.As(err, &several):
			for _, failure := range several {
				failures = append(failures, failure)
			}
		case err != nil:
			failures = append(failures, err)
		}
	}
	return read, failures
}
