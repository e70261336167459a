package output

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// Reports writes explanations as they come. A list of them is written item by
// item, so that the first is there before the last is found.
type Reports struct {
	w       io.Writer
	errOut  io.Writer // what is told beside the answers
	form    string
	list    bool
	options report.TextOptions // what is shown beside the answer
	written int
	unknown []string // of reports of a list in text: each is said once, at the end
	notes   []string // those that --verbose asks for, as well

	Empty string // what is said of a list in text or Markdown if no report was written
}

// NewReports makes a writer of one explanation, or of a list.
func NewReports(to *terminal.Streams, form string, list bool, options report.TextOptions) *Reports {
	options.List = list
	return &Reports{w: to.Out, errOut: to.ErrOut, form: form, list: list, options: options, Empty: "No pending pods."}
}

// Write writes one explanation.
func (r *Reports) Write(answer *report.Report) error {
	var err error
	switch r.form {
	case "json":
		err = r.writeJSON(answer)
	case "yaml":
		err = r.writeYAML(answer)
	case "markdown":
		err = r.writeBlock(answer.Markdown())
	default:
		options := r.options
		if options.Now.IsZero() {
			options.Now = time.Now()
		}
		err = r.writeBlock(report.Text(answer, terminal.Width(r.w), options))
		r.note(answer)
	}
	r.written++
	return err
}

// Close ends a list.
func (r *Reports) Close() error {
	if !r.list {
		return nil
	}
	var err error
	switch empty := r.written == 0; {
	case r.form == "json" && empty:
		_, err = fmt.Fprintf(r.w, "%s]}\n", r.head())
	case r.form == "json":
		_, err = io.WriteString(r.w, "\n]}\n")
	case r.form == "yaml" && empty:
		_, err = fmt.Fprintf(r.w, "apiVersion: %s\nkind: %s\nitems: []\n", report.APIVersion, report.ListKind)
	case r.form == "yaml":
	case empty:
		_, err = fmt.Fprintln(r.errOut, terminal.OneLine(r.Empty))
	default:
		if len(r.notes) > 0 {
			err = r.writeBlock(strings.Join(r.notes, "\n") + "\n")
		}
		err = errors.Join(err, sayNotes(r.errOut, r.unknown))
	}
	return err
}

// note keeps for the end of a list what all of its reports may say.
func (r *Reports) note(answer *report.Report) {
	if !r.list {
		return
	}
	r.unknown = withNew(r.unknown, answer.UnknownForAll())
	if r.options.Verbose {
		r.notes = withNew(r.notes, answer.Notes())
	}
}

// withNew is a list of lines with those of others that it does not have.
func withNew(lines, others []string) []string {
	for _, line := range others {
		if line = model.Clean(line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// head begins a JSON list.
func (r *Reports) head() string {
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"items":[`, report.APIVersion, report.ListKind)
}

// shown is the report in JSON and YAML: nodes[] of a list only if asked for.
func (r *Reports) shown(report *report.Report) *report.Report {
	if !r.list || r.options.Nodes {
		return report
	}
	short := *report
	short.Nodes, short.Topology = nil, nil
	return &short
}

func (r *Reports) writeJSON(report *report.Report) error {
	if !r.list {
		return JSON(r.w, report)
	}
	before := ",\n"
	if r.written == 0 {
		before = r.head() + "\n"
	}
	item, err := escaped.JSON(r.shown(report), "")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.w, "%s%s", before, item)
	return err
}

func (r *Reports) writeYAML(answer *report.Report) error {
	text, err := escaped.YAML(r.shown(answer))
	if err != nil {
		return err
	}
	if !r.list {
		_, err = r.w.Write(text)
		return err
	}
	if r.written == 0 {
		if _, err := fmt.Fprintf(r.w, "apiVersion: %s\nkind: %s\nitems:\n", report.APIVersion, report.ListKind); err != nil {
			return err
		}
	}
	indented := strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n  ")
	_, err = fmt.Fprintf(r.w, "- %s\n", indented)
	return err
}

// writeBlock writes a text, apart from the one before.
func (r *Reports) writeBlock(text string) error {
	if r.written > 0 {
		text = "\n" + text
	}
	_, err := io.WriteString(r.w, text)
	return err
}
