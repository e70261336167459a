package nodes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// devices are the devices of DRA drivers on each node. They are counted off the event loop
// when the page is shown, and again and again where there are any.
type devices struct {
	page  *Page
	shown int // how often the page was
	asks  page.Poll[*model.Objects]
}

// deviceResources are what devices are counted by, as RBAC names them.
var deviceResources = []string{"deviceclasses", "resourceslices", "resourceclaims"}

// recountDevices is after how long devices are counted again.
const recountDevices = 10 * time.Second

// recountMsg counts the devices again, unless the page was shown anew since.
type recountMsg struct{ shown int }

// update takes the messages about devices.
func (d *devices) update(msg tea.Msg) tea.Cmd {
	h := d.page.Host
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		if msg.Shown {
			d.shown++
			return d.ask()
		}
		if d.asks.Value == nil && d.asks.Trouble == nil {
			return d.asks.Ask(h, d.page.Self, countDevices)
		}
		return nil
	case recountMsg:
		if msg.shown == d.shown && h.Shown(d.page.Self) {
			return d.ask()
		}
		return nil
	}
	news, cmd := d.asks.Update(h, d.page.Self, msg)
	if news == page.Answered {
		d.page.counts.devices = d.classes()
		d.page.reshape()
		if d.page.counts.devices != nil {
			return tea.Batch(cmd, h.Later(d.page.Self, recountDevices, recountMsg{d.shown}))
		}
	}
	return cmd
}

func (d *devices) ask() tea.Cmd { return d.asks.AskNow(d.page.Host, d.page.Self, countDevices) }

func countDevices(ctx context.Context, cluster page.Cluster) (*model.Objects, error) {
	return cluster.Objects(ctx, deviceResources...)
}

// classes are the DeviceClasses of which a node has a device, by name.
func (d *devices) classes() []string {
	if d.asks.Value == nil {
		return nil
	}
	found := map[string]bool{}
	for _, counts := range d.asks.Value.Devices {
		for class := range counts {
			found[class] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// column is how many devices of a class are free, of all that the node has access to.
func (d *devices) column(class string, all []string) column {
	return column{Head: classHead(class, all), From: 100, Min: 5, Right: true, Text: func(n *model.Node) table.Cell {
		count, has := d.asks.Value.Devices[n.Name][class]
		switch {
		case !has:
			return table.Cell{}
		case count.Unknown:
			return unknownCell
		}
		made := table.Cell{Text: fmt.Sprintf("%d/%d", count.Free, count.Total)}
		made.Text, made.Tone = d.page.Host.Levels().Marked(made.Text, int64(count.Total-count.Free), int64(count.Total))
		return made
	}}
}

// classHead is a DeviceClass at the head of its column: the first part of its name, where no
// other class begins with that.
func classHead(class string, all []string) string {
	first := func(name string) string { word, _, _ := strings.Cut(name, "."); return word }
	word := first(class)
	if slices.ContainsFunc(all, func(other string) bool { return other != class && first(other) == word }) {
		word = class
	}
	return strings.ToUpper(model.Clean(word)) + " FREE"
}
