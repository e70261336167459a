// Package figures formats counts, amounts and names of nodes as pages show them, and
// reads from rejections what a node lacks.
package figures

import (
	"fmt"
	"math"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// FreeOf writes free/allocatable cpu; free has a decimal where the whole has one.
func FreeOf(free, whole int64) string {
	f, w, _ := strings.Cut(model.FormatCoresOf(free, whole), "/")
	if strings.Contains(w, ".") && !strings.Contains(f, ".") {
		f += ".0"
	}
	return f + "/" + w
}

// Cores writes an amount of cpu, to the nearest figure.
func Cores(milli int64) string { return model.FormatCores(milli, model.Nearest) }

// Memory writes an amount of memory, to the nearest figure.
func Memory(bytes int64) string { return model.FormatMemory(bytes, model.Nearest) }

// Count writes a number with its word: 1 pod, 2 pods.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return model.FormatCount(n) + " " + many
}

// Named joins three names, and says how many more there are.
func Named(names []string) string {
	const few = 3
	if len(names) > few {
		return strings.Join(names[:few], ", ") + " and " + Count(len(names)-few, "more", "more")
	}
	return strings.Join(names, ", ")
}

// Joined is a list in words: "a, b and c".
func Joined(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Clock writes a duration: 12s, 2m, 2m10s, 3h5m.
func Clock(d time.Duration) string {
	d = max(d, 0).Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < time.Hour:
		return fmt.Sprintf("%dm%ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
}

// WithoutDomain leaves the domain that nodes share out of the names in a text.
func WithoutDomain(text, domain string) string {
	if domain == "" || !strings.Contains(text, domain) {
		return text
	}
	var short strings.Builder
	for {
		before, after, found := strings.Cut(text, domain)
		short.WriteString(before)
		if !found {
			return short.String()
		}
		if !endsName(before) || goesOn(after) {
			short.WriteString(domain)
		}
		text = after
	}
}

// endsName reports whether a text ends in what can stand before the domain of a name.
func endsName(text string) bool { return text != "" && isAlphanumeric(text[len(text)-1]) }

// goesOn reports whether a text that follows a domain is more of the same word, such as the
// name of a label.
func goesOn(text string) bool {
	text = strings.TrimLeft(text, ".-")
	return text != "" && (isAlphanumeric(text[0]) || text[0] == '/')
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// SharedDomain is the part of nodes' names from the first dot on that most of those with a
// dot have; "" where some names would be the same without it.
func SharedDomain(nodes []*model.Node) string {
	domain, counts := "", map[string]int{}
	for _, n := range nodes {
		at := strings.IndexByte(n.Name, '.')
		if at <= 0 || at == len(n.Name)-1 || n.Name[at+1] <= '9' { // ".5" may be part of a figure
			continue
		}
		counts[n.Name[at:]]++
		if counts[n.Name[at:]] > counts[domain] {
			domain = n.Name[at:]
		}
	}
	if domain == "" || counts[domain] == len(nodes) {
		return domain
	}
	short := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		name := strings.TrimSuffix(n.Name, domain)
		if short[name] {
			return ""
		}
		short[name] = true
	}
	return domain
}

// Limits are a pod's or a node's limits of cpu and memory; – is none.
func Limits(r model.Resources) string {
	cpu, bytes := "–", "–"
	if r.MilliCPU > 0 {
		cpu = Cores(r.MilliCPU)
	}
	if r.Memory > 0 {
		bytes = Memory(r.Memory)
	}
	return cpu + " " + bytes
}

// FitPlugin is the plugin whose rejections have amounts of resources.
const FitPlugin = "NodeResourcesFit"

// CompareResources sorts cpu and memory first, then by name.
func CompareResources(a, b string) int {
	rank := func(name string) int {
		switch corev1.ResourceName(name) {
		case corev1.ResourceCPU:
			return 0
		case corev1.ResourceMemory:
			return 1
		}
		return 2
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// Share is part of whole in thousandths.
func Share(part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	if part > math.MaxInt64/1000 {
		return int64(min(float64(part)/float64(whole), 1000) * 1000) // 64 bits do not hold the product
	}
	return part * 1000 / whole
}

// ResourceHead is the head over amounts of a resource; "" is cpu.
func ResourceHead(resource string) string {
	switch resource {
	case "":
		return "CPU"
	case "memory":
		return "MEM"
	}
	return strings.ToUpper(model.Clean(resource[strings.LastIndexByte(resource, '/')+1:]))
}

// ResourceHeads are the heads over amounts of extended resources: where two vendors call theirs the same, the
// whole name.
func ResourceHeads(names []corev1.ResourceName) []string {
	count := map[string]int{}
	for _, name := range names {
		count[ResourceHead(string(name))]++
	}
	heads := make([]string, len(names))
	for i, name := range names {
		if heads[i] = ResourceHead(string(name)); count[heads[i]] > 1 {
			heads[i] = strings.ToUpper(model.Clean(string(name)))
		}
	}
	return heads
}

// FreeCPU is what no pod requests of a node's cpu, in millicores; less than 0
// where more is requested than is allocatable.
func FreeCPU(n *model.Node) int64 {
	return n.Free(func(r *model.Resources) int64 { return r.MilliCPU })
}

// FreeMemory is what no pod requests of a node's memory, in bytes; less than 0 where
// more is requested than is allocatable.
func FreeMemory(n *model.Node) int64 {
	return n.Free(func(r *model.Resources) int64 { return r.Memory })
}
