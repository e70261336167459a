package source

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestReadingAClusterOfAnySizeHasNoMemoryLimit(t *testing.T) {
	reading := func(pods int) *model.Snapshot {
		return &model.Snapshot{Status: model.Status{Reading: map[string]int{"pods": pods}}}
	}
	const own = 123 // percent, as the program was started
	for name, test := range map[string]struct {
		env     map[string]string
		seen    *model.Snapshot
		percent int
	}{
		"at the start":              {nil, nil, own},
		"while pods are read":       {nil, reading(5000), own},
		"while very many are":       {nil, reading(500_000), own},
		"once all is in":            {nil, &model.Snapshot{}, mostSettledAt},
		"with the user's own pace":  {map[string]string{"GOGC": "200"}, &model.Snapshot{}, own},
		"with the user's own limit": {map[string]string{"GOMEMLIMIT": "1GiB"}, &model.Snapshot{}, mostSettledAt},
	} {
		t.Run(name, func(t *testing.T) {
			const set = 1 << 40 // what the runtime has from GOMEMLIMIT, or from nobody
			percent, limit := debug.SetGCPercent(own), debug.SetMemoryLimit(set)
			t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
			saving := NewGCTuner(func(name string) string { return test.env[name] })
			if test.seen != nil {
				saving.Note(test.seen)
			}
			if got := debug.SetMemoryLimit(-1); got != set {
				t.Errorf("memory limit %d, want it left at %d (none is %d)", got, set, math.MaxInt64)
			}
			if got := debug.SetGCPercent(own); got != test.percent {
				t.Errorf("garbage is collected at %d%% growth, want %d%%", got, test.percent)
			}
		})
	}
}

func TestASmallHeapMayGrowBySeveralTimesAndALargeOneByATenth(t *testing.T) {
	for name, test := range map[string]struct {
		live    uint64
		percent int64
	}{
		"nothing known": {0, mostSettledAt},
		"12 MiB":        {12 << 20, mostSettledAt},
		"48 MiB":        {leastGarbage, 100},
		"240 MiB":       {5 * leastGarbage, 20},
		"2 GiB":         {2 << 30, collectSettledAt},
	} {
		if got := settledPace(test.live); got != test.percent {
			t.Errorf("%s: %d%%, want %d%%", name, got, test.percent)
		}
	}
}
