package pending

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// preview draws Why of the selected row in short, under the list. Its verdict is that of
// the row; fixes are simulated once the cursor has rested on the row.
type preview struct {
	list     *list.Page[query.PendingRow, *Row]
	explains *explainer
	tries    fixes.Poll
	of       types.UID // the pod that the fixes are of; "" is none
	nth      int       // of the rows that the cursor has been on
	rested   bool      // it has rested on this one
	asked    time.Time // when fixes were asked for last
	why      string    // what the verdict said then: a quota that has changed changes it, and no node
}

// RestAfter is how long the cursor stays on a row before fixes of its pod are simulated.
const RestAfter = 300 * time.Millisecond

// renewAfter is how old fixes get at least before they are simulated again.
const renewAfter = 10 * time.Second

// cursorRestedMsg says that the cursor has been on the nth row for a while.
type cursorRestedMsg struct{ nth int }

// row is the selected one whose preview is shown; false where there is none.
func (p *preview) row() (*Row, bool) {
	row, ok := p.list.Table.Selected()
	return row, ok && p.list.Around.HasBelow() && !p.list.Table.SelectedGone()
}

// report is the newest verdict on the selected row; nil while there is none.
func (p *preview) report(row *Row) *report.Report { return p.explains.verdicts.Of(row.Kind) }

// follow keeps up with the cursor.
func (p *preview) follow() tea.Cmd {
	row, ok := p.row()
	var uid types.UID
	if ok {
		uid = row.Pod.Object.UID
	}
	if uid == p.of {
		return p.ask()
	}
	p.tries.Leave()
	p.nth++
	p.of, p.tries, p.rested = uid, fixes.Poll{}, false
	if uid == "" {
		return nil
	}
	return p.list.Host.Later(p.list.Self, RestAfter, cursorRestedMsg{p.nth})
}

// ask has fixes simulated for the row that the cursor has rested on, once no row waits
// for its verdict; again where something has changed that bears on which nodes fit.
func (p *preview) ask() tea.Cmd {
	row, ok := p.row()
	o := p.list.Host.Observed()
	if !ok || !p.rested || o.IsReading() || !report.IsFixable(p.report(row)) || p.explains.unexplained() != nil {
		return nil
	}
	has := p.tries.Value != nil || p.tries.Trouble != nil
	why := p.report(row).Summary
	if has && (o.Snapshot.Moved <= p.tries.Revision() && why == p.why || o.At.Sub(p.asked) < renewAfter) {
		return nil // nothing has changed that bears on them, or it is too soon
	}
	cmd := fixes.Ask(&p.tries, p.list.Host, p.list.Self, p.of)
	if cmd != nil { // else it rests, and asks after that
		p.asked, p.why = o.At, why
	}
	return cmd
}

// update takes the messages of the preview.
func (p *preview) update(msg tea.Msg) tea.Cmd {
	if rested, ok := msg.(cursorRestedMsg); ok && rested.nth == p.nth {
		p.rested = true
		return p.ask()
	}
	news, cmd := p.tries.Update(p.list.Host, p.list.Self, msg)
	if news == page.Renew {
		return tea.Batch(cmd, p.ask())
	}
	return cmd
}

// page is what the preview is drawn from.
func (p *preview) page(row *Row, rows int) *explanation.Drawing {
	o := p.list.Host.Observed()
	drawn := &explanation.Drawing{
		Snapshot: o.Snapshot, Pod: row.Pod, Kind: row.Kind,
		Cursor: explanation.NoCursor, Preview: true, Now: o.AsOf(), Domain: o.Domain, Width: p.list.Around.WidthBelow(p.list.Width), Height: rows,
		Styles: p.list.Host.Styles(), Levels: p.list.Host.Levels(), PodsUnknown: o.PodsUnknown(), Explaining: p.explains.verdicts.outdated(row.Kind),
	}
	if p.of == row.Pod.Object.UID { // the cursor may have been moved by another order of the rows
		drawn.Fixes, drawn.Unfixed = p.tries.Value, p.tries.Trouble
	}
	if told := p.report(row); told != nil {
		drawn.Take(told, nil)
	}
	return drawn
}

// shortRows is how many rows a preview has at most that is told in a few lines.
const shortRows = 8

// lines draw the preview in so many rows, its rule first.
func (p *preview) lines(rows int) []string {
	lines := make([]string, rows)
	row, ok := p.row()
	if !ok || p.list.Host.Observed().IsReading() {
		return lines
	}
	drawn := p.page(row, rows-1)
	lines[0] = p.rule(row, drawn.Width)
	s := p.list.Host.Styles()
	switch told := p.report(row); {
	case p.explains.verdicts.Hidden:
		lines[1] = s.Dim.Render("   " + page.HiddenWords)
	case told == nil:
		lines[1] = s.Dim.Render("   explaining")
	case rows <= shortRows:
		copy(lines[1:], explanation.Short(drawn, rows-2))
	default:
		copy(lines[1:], whole(drawn))
	}
	return lines
}

// whole draws Why under a rule that says what the pod is: the verdict, whether kube-scheduler
// agrees, then the parts.
func whole(drawn *explanation.Drawing) []string {
	verdict, left := " "+cells.Cut(cells.CutNames(drawn.Verdict(), drawn.Width-1), drawn.Width-1), 0
	drawn.Height-- // of the verdict
	agrees := explanation.Agreement(drawn)
	if agrees != "" && cells.Width(verdict)+cells.Width(agrees)+3 <= drawn.Width {
		verdict = cells.Spread(verdict, agrees, drawn.Width-1)
		left = explanation.TopRows
		drawn.Height += left
		if all := drawn.Lines(); len(all) > left && all[left].Text == "" {
			left++
			drawn.Height++
		}
	}
	lines := []string{verdict}
	all := drawn.Lines()
	for _, line := range all[min(left, len(all)):] {
		lines = append(lines, line.Text)
	}
	return lines
}

// rule is the line over the preview: what it is of.
func (p *preview) rule(row *Row, width int) string {
	pod := row.Pod
	name := pod.FullName()
	if !row.Leaf && row.Of > 1 {
		name = row.Kind.FullName()
	}
	owner, priority := pod.Owner.Kind, ""
	if width >= cells.WideFrom {
		owner = strings.TrimSpace(owner + " " + pod.Owner.Name)
		if pod.Exists() {
			priority = fmt.Sprintf("priority %d", pod.Priority())
		}
	}
	wanted := *pod.Requests
	if row.Kind.Resize != nil {
		wanted = model.NewResources(model.DesiredRequests(pod.Object))
	}
	parts := []string{name, owner, requests(wanted, "memory "), string(pod.QOS), priority}
	words := ""
	for _, part := range parts {
		if part != "" && words != "" {
			words += " · "
		}
		words += part
	}
	text := cells.Cut(" ─ "+model.Clean(words)+" ", width)
	return p.list.Host.Styles().Rule.Render(text + strings.Repeat("─", max(width-1-cells.Width(text), 0)))
}
