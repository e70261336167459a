package cli

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestMemoryIsLimitedWhileAClusterIsRead(t *testing.T) {
	reading := func(pods int) *model.Snapshot {
		return &model.Snapshot{Status: model.Status{Reading: map[string]int{"pods": pods}}}
	}
	for name, test := range map[string]struct {
		env  map[string]string
		seen *model.Snapshot
		want int64
	}{
		"at the start":                {nil, nil, softLimit},
		"while pods are read":         {nil, reading(5000), softLimit},
		"not with more than fit":      {nil, reading(manyPods), math.MaxInt64},
		"not once all is in":          {nil, &model.Snapshot{}, math.MaxInt64},
		"not where the user set some": {map[string]string{"GOMEMLIMIT": "1GiB"}, nil, math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
			t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
			saving := newThrift(func(name string) string { return test.env[name] })
			if test.seen != nil {
				saving.note(test.seen)
			}
			if got := debug.SetMemoryLimit(-1); got != test.want {
				t.Errorf("limit %d, want %d", got, test.want)
			}
		})
	}
}
