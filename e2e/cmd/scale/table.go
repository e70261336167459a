package main

import (
	"fmt"
	"strings"
)

const (
	mebibyte   = 1 << 20
	labelWidth = 44
	cellWidth  = 22
	percent    = 100
	middle     = 0.5
	nearlyAll  = 0.99
)

// line is one line of the table: a figure, and the one of the bare informer that
// it is set against.
type line struct {
	label string
	value func(*figures) string
	ratio func(*figures) float64 // nil: to nothing
}

var lines = []line{
	{"bare informer of nodes and pods", func(f *figures) string { return seconds(f.bare.Seconds) }, nil},
	{"… its heap, its peak", func(f *figures) string { return memory(f.bare.Heap) + ", " + memory(f.bare.Peak) }, nil},
	{"first rows", func(f *figures) string { return seconds(f.up.rows) }, nil},
	{"everything live", func(f *figures) string { return seconds(f.up.live) }, func(f *figures) float64 { return f.up.live / f.bare.Seconds }},
	{"… explained", func(f *figures) string { return seconds(f.up.verdicts) }, func(f *figures) float64 { return f.up.verdicts / f.bare.Seconds }},
	{"peak resident", func(f *figures) string { return memory(f.peak) }, func(f *figures) float64 { return float64(f.peak) / float64(f.bare.Peak) }},
	{"settled resident", func(f *figures) string { return memory(f.settled) }, func(f *figures) float64 { return float64(f.settled) / float64(f.bare.Heap) }},
	{"key to frame, p50", func(f *figures) string { return milliseconds(quantile(f.keys, middle)) }, nil},
	{"key to frame, p99", func(f *figures) string { return milliseconds(quantile(f.keys, nearlyAll)) }, nil},
	{"Why opened to its last change, p99", func(f *figures) string { return milliseconds(quantile(f.whys, nearlyAll)) }, nil},
	{"idle", func(f *figures) string { return cpu(f.idle) }, nil},
	{"pods change", func(f *figures) string { return fmt.Sprintf("%s at %.0f/s", cpu(f.churned), f.changes) }, nil},
	{"explain POD", func(f *figures) string { return seconds(f.one.seconds) }, func(f *figures) float64 { return f.one.seconds / f.bare.Seconds }},
	{"… its peak", func(f *figures) string { return memory(f.one.peak) }, func(f *figures) float64 { return float64(f.one.peak) / float64(f.bare.Peak) }},
	{"explain --all -o json", func(f *figures) string { return seconds(f.all.seconds) }, func(f *figures) float64 { return f.all.seconds / f.bare.Seconds }},
	{"… its peak", func(f *figures) string { return memory(f.all.peak) }, func(f *figures) float64 { return float64(f.all.peak) / float64(f.bare.Peak) }},
}

// table is all figures, a column for each cluster.
func table(all []*figures) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-*s", labelWidth, "nodes, bound pods")
	for _, f := range all {
		fmt.Fprintf(&out, "%*s", cellWidth, fmt.Sprintf("%d, %d", f.nodes, f.pods))
	}
	out.WriteByte('\n')
	for _, l := range lines {
		fmt.Fprintf(&out, "%-*s", labelWidth, l.label)
		for _, f := range all {
			cell := l.value(f)
			if l.ratio != nil {
				cell += fmt.Sprintf(" %6.2f ×", l.ratio(f))
			}
			fmt.Fprintf(&out, "%*s", cellWidth, cell)
		}
		out.WriteByte('\n')
	}
	for _, f := range all {
		for _, p := range f.peers {
			fmt.Fprintf(&out, "%s on %d nodes: all pods after %s (%.2f ×), peak %s, settled %s, idle %s, pods change %s\n",
				p.name, f.nodes, seconds(p.loaded), p.loaded/f.bare.Seconds, memory(p.peak), memory(p.settled), cpu(p.idle), cpu(p.churned))
		}
	}
	out.WriteString("× is the ratio to the bare informer: times to its time, peaks to its peak, settled memory to its heap.\n")
	return out.String()
}

func seconds(s float64) string {
	if s == 0 {
		return "never"
	}
	return fmt.Sprintf("%.2f s", s)
}

func milliseconds(ms float64) string { return fmt.Sprintf("%.0f ms", ms) }

func memory(bytes uint64) string { return fmt.Sprintf("%d MiB", bytes/mebibyte) }

func cpu(share float64) string { return fmt.Sprintf("%.1f%%", percent*share) }
