package session

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// scene is a part of the tour: the keys that lead to it, what is to be seen, and for how
// many seconds it stays.
type scene struct {
	keys    []rune
	caption string
	seconds int
	frame   string
}

// tour leads through the dashboard in 30 seconds. It ends where it began.
func tour() []scene {
	return []scene{
		{nil, "Pending pods, and what blocks each of them", 4, ""},
		{[]rune{tea.KeyEnter}, "enter  Why: the nodes by what rejects the pod, the closest first", 6, ""},
		{[]rune{'f'}, "f  Fixes: ✓ are simulated with the scheduler's own plugins", 5, ""},
		{[]rune{tea.KeyEscape, tea.KeyEscape, '3'}, "3  Nodes: what is requested, and what is wrong", 3, ""},
		{[]rune{'c'}, "c  Cordon: a plan and a question come before any change", 4, ""},
		{[]rune{tea.KeyEscape, 'm'}, "m  Node map: one cell a node, by pool and zone", 4, ""},
		{[]rune{tea.KeyEscape, '4'}, "4  Pools: what is free, and the largest free slot of one node", 4, ""},
	}
}

// The moving picture of the README shows the dashboard's own frames, on an embedded
// cluster whose seed is fixed: make screenshots draws it again.
func TestTheTourShowsWhatThereIs(t *testing.T) {
	inEachPicture(t, func(t *testing.T, s *stage, name string, theme themes.Theme) {
		scenes := tour()
		for i := range scenes {
			s.press(scenes[i].keys...)
			scenes[i].frame = s.frame()
			if i > 0 && scenes[i].frame == scenes[i-1].frame {
				t.Errorf("the keys to %q change nothing", scenes[i].caption)
			}
		}
		requireFile(t, "tour-"+name+".svg", film(scenes, 80, 24, theme))
	})
}

// film draws scenes one after another, without end, with the caption of each below it.
// Who asked for less motion sees the second one.
func film(scenes []scene, width, height int, theme themes.Theme) string {
	total := 0
	for _, s := range scenes {
		total += s.seconds
	}
	var style, body strings.Builder
	from := 0
	for i, s := range scenes {
		fmt.Fprintf(&style, "#s%d{animation-name:k%[1]d}@keyframes k%[1]d{0%%{visibility:hidden}%s%s100%%{visibility:hidden}}\n",
			i, keyframe(from, total, "visible"), keyframe(from+s.seconds, total, "hidden"))
		from += s.seconds
		fmt.Fprintf(&body, `<g id="s%d" class="s">`+"\n", i)
		drawFrame(&body, s.frame, width, height, theme)
		fmt.Fprintf(&body, `<rect x="0" y="%d" width="100%%" height="1" fill="%s"/>`+"\n", margin+height*cellHeight+cellHeight/2, hex(theme.Styles.Dim.GetForeground()))
		fmt.Fprintf(&body, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n</g>\n", margin, margin+(height+1)*cellHeight+baseline, xmlText(s.caption))
	}
	var b strings.Builder
	openSVG(&b, "From the list of pending pods to the reason, the fixes and the nodes", width, height+2, theme)
	fmt.Fprintf(&b, "<style>.s{visibility:hidden;animation-duration:%ds;animation-timing-function:step-end;animation-iteration-count:infinite}\n", total)
	b.WriteString(style.String())
	b.WriteString("@media (prefers-reduced-motion:reduce){.s{animation:none}#s1{visibility:visible}}</style>\n")
	b.WriteString(body.String())
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// keyframe is what holds from a second of so many on; the end of a film has none.
func keyframe(at, total int, visibility string) string {
	if at == total {
		return ""
	}
	return fmt.Sprintf("%.2f%%{visibility:%s}", 100*float64(at)/float64(total), visibility)
}
