package cli

import (
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// timeOrNull is null in JSON for the zero time.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	utc := t.UTC()
	return &utc
}

// orNone is what a cell shows for nothing.
func orNone(text string) string {
	if text == "" {
		return "<none>"
	}
	return text
}

// ago is how long ago t was, as kubectl writes it.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(t))
}
