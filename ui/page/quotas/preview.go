package quotas

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/computed"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// below draws the selected quota under the list: each resource, how many more pods it
// allows, and the defaults of LimitRanges.
func below(p *Page, rows int) []string {
	r, ok := p.Table.Selected()
	if !ok {
		return make([]string, rows)
	}
	if p.Table.SelectedGone() {
		return computed.NewBelow(&p.Page, id(r), "gone").Lines(rows)
	}
	title := id(r)
	if r.Object == nil {
		title = r.Namespace
	}
	b := computed.NewBelow(&p.Page, append([]string{title}, r.Scopes...)...)
	last := []string{moreWords(&r)}
	if users := usersWords(&r); users != "" {
		last = append(last, users)
	}
	last = append(last, defaultWords(p, &r)...)
	addResources(p, b, &r, rows-1-len(last))
	for _, words := range last {
		b.Add(words, tone.Plain)
	}
	return b.Lines(rows)
}

// addResources draws a bar for each resource, in at most so many lines.
func addResources(p *Page, b *computed.Below, r *row, lines int) {
	names := r.Resources()
	shown := names
	if len(names) > lines {
		shown = names[:max(lines-1, 0)]
	}
	wide := 0
	for _, name := range shown {
		wide = max(wide, cells.Width(model.Clean(string(name))))
	}
	wide = min(wide, b.Width/2)
	for _, name := range shown {
		head := b.Styles.Text.Render(cells.Left(cells.CutName(model.Clean(string(name)), wide), wide) + " ")
		used, hard, known := r.Amounts(name)
		words := "  " + usedOf(r, name)
		switch {
		case !known:
			b.AddDrawn(head + b.Styles.Unknown.Render(model.UnknownFigure) + b.Styles.Text.Render(words))
			continue
		case hard <= 0 && used <= 0 && !full(r, name):
			b.AddDrawn(head + b.Styles.Text.Render("none allowed"))
			continue
		case hard <= 0 && used <= 0:
			words += ", none allowed"
		case used > hard:
			words += ", " + left(name, used-hard, model.Up) + " over the limit"
		default:
			words += ", " + left(name, hard-used, model.Down) + " left"
		}
		part, whole := share(r, name)
		_, bar := gauge.Draw(b.Styles, p.Host.Levels(), longBar, part, whole)
		percent := cells.Right(gauge.Words(part, whole), len(" 100%"))
		level := p.Host.Levels().Tone(model.Percent(part, whole)).Style(b.Styles)
		drawn, room := head+bar+level.Render(percent), max(b.Room()-wide-1-longBar-len(" 100%"), 0)
		if cells.Width(words) > room && lines >= 2*len(names) {
			b.AddDrawn(drawn)
			b.Add(words, tone.Plain)
			continue
		}
		b.AddDrawn(drawn + b.Styles.Text.Render(cells.Cut(words, room)))
	}
	if more := len(names) - len(shown); more > 0 {
		b.Add(grammar.Count(more, "more resource", "more resources"), tone.Dim)
	}
}

// moreWords say how many more pods fit, and of which size.
func moreWords(r *row) string {
	switch {
	case r.Object == nil:
		return "no ResourceQuota"
	case r.LimitsNoPods:
		return "limits no pods"
	case r.MorePods == nil && r.Pods == 0 && r.UsualPod != nil:
		return "no pods: how many more it allows is unknown"
	case r.MorePods == nil:
		return "how many more pods it allows is unknown"
	}
	var sizes []string
	for _, name := range slices.Sorted(maps.Keys(r.UsualPod)) {
		if name == corev1.ResourcePods || name == "count/pods" {
			continue
		}
		size, _ := model.Count(inventory.Counted(name), r.UsualPod[name])
		sizes = append(sizes, string(name)+" "+left(name, size, model.Up))
	}
	words := "allows " + grammar.Count(int(*r.MorePods), "more pod", "more pods")
	if len(sizes) > 0 {
		words += " of median size (of " + grammar.Count(r.Pods, "pod", "pods") + "): " + strings.Join(sizes, ", ")
	}
	return words
}

// usersWords say which workloads use the most of the fullest resource; "" where that is not known.
func usersWords(r *row) string {
	var words []string
	for _, user := range r.Users {
		use := user.Name
		if r.Fullest != corev1.ResourcePods && r.Fullest != "count/pods" {
			use += " " + left(r.Fullest, user.Amount, model.Up)
		}
		if user.Name == inventory.FinishedPods {
			words = append(words, model.FormatCount(user.Pods)+" "+user.Name)
			continue
		}
		if !strings.HasPrefix(user.Name, "pod/") {
			use += " (" + grammar.Count(user.Pods, "pod", "pods") + ")"
		}
		words = append(words, use)
	}
	if len(words) == 0 {
		return ""
	}
	return string(r.Fullest) + " used by " + grammar.List(words, grammar.Few)
}

// left is an amount in a sentence.
func left(name corev1.ResourceName, of int64, round model.Rounding) string {
	if inventory.Counted(name) == corev1.ResourceCPU {
		return model.FormatCPU(of, round)
	}
	return amount(name, of, round)
}

// defaultWords say what LimitRanges give, and how many pods got it.
func defaultWords(p *Page, r *row) []string {
	if why := computed.Unread(&p.Page, limitRanges); why != "" {
		return []string{"LimitRanges are unknown: " + why}
	}
	if len(r.LimitRanges) == 0 {
		return nil
	}
	words := make([]string, len(r.LimitRanges))
	for i, d := range r.LimitRanges {
		words[i] = "LimitRange " + d.Name + " gives containers without their own: " + amounts("requests", d.Requests, "limits", d.Limits)
	}
	return []string{gotWords(r) + "; " + strings.Join(words, "; ")}
}

// gotWords say how many pods a LimitRange gave requests, and how many limits, as the pods themselves say.
func gotWords(r *row) string {
	switch {
	case r.DefaultedPods == nil:
		return "how many pods got defaults is unknown"
	case r.DefaultedRequests+r.DefaultedLimits == 0:
		return "no pods got defaults"
	}
	return grammar.Count(r.DefaultedRequests, "pod", "pods") + " got requests, " + grammar.Count(r.DefaultedLimits, "pod", "pods") + " got limits"
}

// amounts word two lists: "requests cpu 100m, memory 1Gi, limits memory 2Gi".
func amounts(head string, of corev1.ResourceList, otherHead string, other corev1.ResourceList) string {
	var words []string
	for _, part := range []struct {
		head string
		list corev1.ResourceList
	}{{head, of}, {otherHead, other}} {
		before := part.head + " "
		for _, name := range slices.Sorted(maps.Keys(part.list)) {
			quantity := part.list[name]
			words = append(words, before+string(name)+" "+quantity.String())
			before = ""
		}
	}
	return strings.Join(words, ", ")
}
