package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/terminal"
)

const (
	columns, rows = 160, 48

	loadLimit  = 5 * time.Minute
	keyLimit   = 20 * time.Second
	calm       = 1500 * time.Millisecond // a screen that has not changed for so long is finished
	openings   = 5                       // one opening of Why for so many keys
	settleTime = 15 * time.Second
	shareTime  = 20 * time.Second
	pageEvery  = 10 // one key in so many turns a page
)

var (
	livePattern = regexp.MustCompile(`( +! 1 not read)? +live$`)
	agePattern  = regexp.MustCompile(`\d+(\.\d+)?(ms|s|m|h|d)\b`)
)

// dashboard is fathom in a terminal.
type dashboard struct {
	*terminal.Terminal
	pid   int
	began time.Time
}

// startUp are the seconds after which the dashboard was that far.
type startUp struct {
	rows, live, verdicts float64
}

// open starts the dashboard and waits until all is in and explained.
func open(ctx context.Context, binary, kubeconfig string) (*dashboard, startUp, error) {
	var up startUp
	began := time.Now()
	tty, err := terminal.Start(environment(), columns, rows, binary, "--kubeconfig", kubeconfig, "--readonly")
	if err != nil {
		return nil, up, err
	}
	d := &dashboard{Terminal: tty, began: began}
	ctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	for _, step := range []struct {
		what   string
		at     *float64
		wanted func([]string) bool
	}{
		{"the first rows", &up.rows, func(lines []string) bool { return cursor(lines) != "" }},
		{"everything live", &up.live, func(lines []string) bool { return livePattern.MatchString(lines[0]) && cursor(lines) != "" }},
	} {
		at, err := d.When(ctx, step.what, step.wanted)
		if err != nil {
			return nil, up, d.fail(err)
		}
		*step.at = at.Sub(began).Seconds()
	}
	last, err := d.finished(ctx)
	if err != nil {
		return nil, up, d.fail(err)
	}
	up.verdicts = max(last.Sub(began).Seconds(), up.live)
	d.pid, err = d.Program()
	if err != nil {
		return nil, up, d.fail(err)
	}
	return d, up, nil
}

// fail closes the terminal and gives the error.
func (d *dashboard) fail(err error) error {
	_ = d.Close()
	return err
}

// cursor is the row that is selected; "" if there are no rows.
func cursor(lines []string) string {
	for _, line := range lines {
		if strings.HasPrefix(line, "▸") {
			return line
		}
	}
	return ""
}

// finished waits until the screen stays as it is, ages aside, and gives when it
// changed last.
func (d *dashboard) finished(ctx context.Context) (time.Time, error) {
	last, _, more := d.Drawn()
	before := masked(d.Lines())
	for {
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-d.Gone():
			return last, fmt.Errorf("the program has ended; its screen:\n%s", d)
		case <-time.After(time.Until(last.Add(calm))):
			return last, nil
		case <-more:
		}
		var at time.Time
		at, _, more = d.Drawn()
		if now := masked(d.Lines()); now != before {
			last, before = at, now
		}
	}
}

// masked is the screen without what goes on by itself.
func masked(lines []string) string {
	return agePattern.ReplaceAllString(strings.Join(lines, "\n"), "~")
}

// press sends a key, waits for a screen and gives the milliseconds between.
func (d *dashboard) press(ctx context.Context, key string, wanted func([]string) bool) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, keyLimit)
	defer cancel()
	sent := time.Now()
	err := d.Type(key)
	if err != nil {
		return 0, err
	}
	at, err := d.When(ctx, fmt.Sprintf("what %q does", key), wanted)
	return float64(at.Sub(sent).Microseconds()) / 1000, err
}

// keys moves through all pods and gives how long each key took to show.
func (d *dashboard) keys(ctx context.Context, count int) ([]float64, error) {
	_, err := d.press(ctx, "2", func(lines []string) bool { return strings.Contains(lines[0], "› pods") && cursor(lines) != "" })
	if err != nil {
		return nil, err
	}
	_, err = d.finished(ctx)
	if err != nil {
		return nil, err
	}
	var all []float64
	for i := range count {
		key := "j"
		if i%pageEvery == pageEvery-1 {
			key = "\x1b[6~" // page down
		}
		before := cursor(d.Lines())
		took, err := d.press(ctx, key, func(lines []string) bool { now := cursor(lines); return now != "" && now != before })
		if err != nil {
			return nil, err
		}
		all = append(all, took)
		time.Sleep(time.Duration(20+rand.IntN(60)) * time.Millisecond) // not in step with the frames
	}
	_, err = d.press(ctx, "1", func(lines []string) bool { return strings.Contains(lines[0], "› pending") && cursor(lines) != "" })
	return all, err
}

// whys opens Why of one pending pod after the other and gives how long it took
// until it changed no more.
func (d *dashboard) whys(ctx context.Context, count int) ([]float64, error) {
	var all []float64
	for range count {
		sent := time.Now()
		_, err := d.press(ctx, "\r", func(lines []string) bool { return strings.Contains(lines[0], "› pending › ") })
		if err != nil {
			return nil, err
		}
		last, err := d.finished(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, float64(last.Sub(sent).Microseconds())/1000)
		_, err = d.press(ctx, "\x1b", func(lines []string) bool {
			return strings.Contains(lines[0], "› pending") && !strings.Contains(lines[0], "› pending › ") && cursor(lines) != ""
		})
		if err != nil {
			return nil, err
		}
		time.Sleep(100 * time.Millisecond) // a key at once would be alt and that key
		err = d.next(ctx)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// next selects the next row, after the last one the first.
func (d *dashboard) next(ctx context.Context) error {
	before := cursor(d.Lines())
	moved := func(lines []string) bool { return cursor(lines) != before }
	soon, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := d.press(soon, "j", moved)
	if soon.Err() == nil {
		return err
	}
	_, err = d.press(ctx, "g", func([]string) bool { return true })
	return err
}

// quit ends the dashboard.
func (d *dashboard) quit(ctx context.Context) error {
	err := d.Type("\x03")
	if err != nil {
		return d.fail(err)
	}
	_, err = d.Ended(ctx)
	return d.fail(err)
}
