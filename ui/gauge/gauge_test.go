package gauge

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

func TestABarTellsHowMuchIsTaken(t *testing.T) {
	for _, c := range []struct {
		part, whole  int64
		bar, percent string
	}{
		{53, 100, "█████▎····", "53%"},
		{41, 100, "████▏·····", "41%"},
		{0, 100, "··········", "0%"},
		{1, 1000, "▏·········", "<1%"},
		{999, 1000, "█████████▉", "99%"},
		{1000, 1000, "██████████", "100%"},
		{1200, 1000, "██████████", "120%"},
		{3, 0, "██████████", "100%"},
		{0, 0, "··········", "0%"},
		{math.MaxInt64, math.MaxInt64, "██████████", "100%"},
		{math.MaxInt64, 1, "██████████", ">999%"},
		{-5, 10, "··········", "0%"},
	} {
		taken, free := Bar(10, c.part, c.whole)
		if got := taken + free; got != c.bar {
			t.Errorf("%d of %d is %q, want %q", c.part, c.whole, got, c.bar)
		}
		if got := Words(c.part, c.whole); got != c.percent {
			t.Errorf("%d of %d is %s, want %s", c.part, c.whole, got, c.percent)
		}
	}
}

func TestABarHasItsWidthAndGrowsWithItsPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 30).Draw(t, "width")
		whole := rapid.Int64Range(0, math.MaxInt64).Draw(t, "whole")
		part := rapid.Int64Range(0, math.MaxInt64).Draw(t, "part")
		more := rapid.Int64Range(part, math.MaxInt64).Draw(t, "more")
		taken, free := Bar(width, part, whole)
		if cells.Width(taken+free) != width {
			t.Fatalf("%q is not %d cells wide", taken+free, width)
		}
		if len(cells.ASCII(taken+free)) != width || strings.Contains(cells.ASCII(taken), "?") {
			t.Fatalf("in ASCII it is %q", cells.ASCII(taken+free))
		}
		if (taken == "") != (part == 0) {
			t.Fatalf("%d of %d draws %q", part, whole, taken)
		}
		if full := strings.Repeat("█", width); (taken == full) != (part > 0 && part >= whole) {
			t.Fatalf("%d of %d draws %q", part, whole, taken)
		}
		if longer, _ := Bar(width, more, whole); cells.Width(longer) < cells.Width(taken) {
			t.Fatalf("%d of %d draws %q, and %d draws %q", part, whole, taken, more, longer)
		}
	})
}

func TestACellHasItsMarkItsUsageAndItsPercentage(t *testing.T) {
	for _, c := range []struct {
		part, whole, used int64
		want              string
	}{
		{67, 100, Unmeasured, " ███▍· 67%"},
		{98, 100, Unmeasured, "!████▉ 98%"},
		{100, 100, Unmeasured, "!█████100%"},
		{0, 100, Unmeasured, " ·····  0%"},
		{1, 1000, Unmeasured, " ▏···· <1%"},
		{67, 100, 0, " ╎██▍· 67%"},
		{67, 100, 30, " █╎█▍· 67%"},
		{20, 100, 90, " █···╎ 20%"},
		{20, 100, 900, " █···╎ 20%"},
		{3, 0, Unmeasured, " ?"},
		{3, 0, 5, " ?"},
	} {
		cell := DefaultLevels.Cell(5, c.part, c.whole, c.used)
		if cell.Text != c.want {
			t.Errorf("%d of %d with %d used is %q, want %q", c.part, c.whole, c.used, cell.Text, c.want)
		}
		if theme, _ := themes.For("mono", true); cell.Styled != nil && ansi.Strip(cell.Styled(&theme.Styles)) != cell.Text {
			t.Errorf("it draws %q in place of %q", cell.Styled(&theme.Styles), cell.Text)
		}
	}
}

func TestLevelsTurnAtTheirPercentages(t *testing.T) {
	for percent, want := range map[int]tone.Tone{0: tone.Good, 79: tone.Good, 80: tone.Warning, 94: tone.Warning, 95: tone.Bad, 120: tone.Bad} {
		if got := DefaultLevels.Tone(percent); got != want {
			t.Errorf("%d%% is %v, want %v", percent, got, want)
		}
	}
}

func TestATrendTellsTheLastMinutesAndDrawsAllOfThem(t *testing.T) {
	var trend Trend
	at := func(d time.Duration) time.Time { return modeltest.Epoch.Add(d) }
	tells := func(d time.Duration, words, spark string) {
		t.Helper()
		if got := trend.Words(at(d)); got != words {
			t.Errorf("after %v: %q, want %q", d, got, words)
		}
		if got := trend.Spark(8, at(d)); got != spark {
			t.Errorf("after %v: %q, want %q", d, got, spark)
		}
	}
	tells(0, "", "")
	trend.Add(at(0), 4)
	tells(30*time.Second, "", "")
	tells(2*time.Minute, "±0 in 2m", "▁▁▁▁▁▁▁▁")
	trend.Add(at(4*time.Minute), 11)
	tells(4*time.Minute, "+7 in 4m", "▁▁▁▁▁▁▁▇")
	trend.Add(at(8*time.Minute), 7)
	tells(8*time.Minute, "+3 in 5m", "▁▁▁▇▇▇▇▄")
	tells(20*time.Minute, "±0 in 5m", "▁▇▇▄▄▄▄▄")
}

func TestASparklineDrawsSmallChangesSmall(t *testing.T) {
	for _, c := range []struct {
		counts []int
		want   string
	}{
		{[]int{2, 2, 2}, "▁▁▁"},
		{[]int{0, 7, 14}, "▁▅█"},
		{[]int{5, Unmeasured, 9}, "▁?▅"},
		{[]int{3, 3, 4, 3}, "▁▁▂▁"}, // one pod more for a moment
		{[]int{0, 1, 0}, "▁▂▁"},
		{[]int{100, 104, 100, 110}, "▁▂▁▂"},
		{[]int{100, 200}, "▁█"},
		{[]int{Unmeasured, Unmeasured}, "??"},
		{nil, ""},
	} {
		if got := Sparkline(c.counts); got != c.want {
			t.Errorf("%v is %q, want %q", c.counts, got, c.want)
		}
	}
}

func TestATrendKeepsFewSamplesAndTheNewestCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var trend Trend
		at := modeltest.Epoch
		first, last := 0, 0
		for i := range rapid.IntRange(1, 2000).Draw(t, "counts") {
			last = rapid.IntRange(0, 9).Draw(t, "count")
			if i == 0 {
				first = last
			}
			trend.Add(at, last)
			at = at.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "seconds")) * time.Second)
		}
		if n := len(trend.samples); n > mostSamples+1 {
			t.Fatalf("%d samples", n)
		}
		if trend.at(at) != last || trend.at(modeltest.Epoch.Add(-1)) != first {
			t.Fatalf("it tells %d and %d, want %d and %d", trend.at(modeltest.Epoch), trend.at(at), first, last)
		}
	})
}

func TestMoreThanTenTimesTheWholeIsMarked(t *testing.T) {
	for part, want := range map[int64]string{0: "0%", 1: "1%", 100: "100%", 999: "999%", 1000: ">999%", 5000: ">999%"} {
		if got := Words(part, 100); got != want {
			t.Errorf("%d of 100 is %s, want %s", part, got, want)
		}
	}
	if got := cells.Width(DefaultLevels.Cell(5, 1000, 100, Unmeasured).Text); got != cells.Width(DefaultLevels.Cell(5, 1, 100, Unmeasured).Text) {
		t.Errorf("the cell is %d wide", got)
	}
}

func TestAFigureIsMarkedAtItsLevel(t *testing.T) {
	levels := Levels{Tight: 50, Full: 90}
	for _, c := range []struct {
		part, whole int64
		text        string
		tone        tone.Tone
	}{
		{0, 4, "0/4", tone.Plain},
		{1, 4, "1/4", tone.Plain},
		{2, 4, "▴2/4", tone.Warning},
		{4, 4, "!4/4", tone.Bad},
		{3248, 3336, "!3,248/3,336", tone.Bad},
		{1, 0, "1/0", tone.Plain},
	} {
		if got := levels.Figure(c.part, c.whole); got.Text != c.text || got.Tone != c.tone {
			t.Errorf("%d of %d is %q in tone %d, want %q in %d", c.part, c.whole, got.Text, got.Tone, c.text, c.tone)
		}
	}
}

func TestBarsGiveWayToWhatEndsARow(t *testing.T) {
	theme, _ := themes.For("mono", true)
	c := model.Capacity{
		Nodes:       2,
		Requested:   model.Resources{MilliCPU: 53, Memory: 41, Pods: 7},
		Allocatable: model.Resources{MilliCPU: 100, Memory: 100, Pods: 100},
	}
	endings := []Ending{{Words: []Word{{Text: "14 pending, oldest 5h"}, {Text: "+3 in 5m"}}}, {Words: []Word{{Text: "14 pending, oldest 5h"}}, Narrow: true}}
	for width, want := range map[int]string{
		100: " cpu █████▎···· 53%  mem ████▏····· 41%  pods 7%  14 pending, oldest 5h  +3 in 5m",
		80:  " cpu █████▎···· 53%  mem ████▏····· 41%  pods 7%  14 pending, oldest 5h",
		69:  " cpu ████▎··· 53%  mem ███▎···· 41%  pods 7%  14 pending, oldest 5h",
		60:  " cpu █████▎···· 53%  mem ████▏····· 41%  pods 7%",
	} {
		if got := strings.TrimRight(ansi.Strip(Capacity(&theme.Styles, DefaultLevels, &c, width, endings...)), " "); got != want {
			t.Errorf("in %d cells: %q, want %q", width, got, want)
		}
	}
}
