// Package lessonlist writes the lessons, and how those that were started went.
package lessonlist

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// Options are what demo writes instead of opening the dashboard.
type Options struct {
	list, progress bool
	output         string
}

// AddFlags adds --list, --progress and -o.
func (l *Options) AddFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&l.list, "list", false, "List the lessons.")
	cmd.Flags().BoolVar(&l.progress, "progress", false, "List the lessons that you started, with results.")
	output.AddFlag(cmd, &l.output, "text", "json")
}

// Wanted reports whether something is to be listed.
func (l *Options) Wanted() bool { return l.list || l.progress }

// Validate rejects what does not go together.
func (l *Options) Validate(cmd *cobra.Command) error {
	switch {
	case l.list && l.progress, l.Wanted() && cmd.Flags().Changed("lesson"):
		return exit.Usagef("demo: --list, --progress and --lesson cannot be used together")
	case cmd.Flags().Changed("output") && !l.Wanted():
		return exit.Usagef("demo -o %s: it needs --list or --progress", l.output)
	}
	return output.Check(l.output, "text", "json")
}

// Item is an item of a LessonList. Its JSON is a contract.
type Item struct {
	Number  int       `json:"number"` // in the order of teaching, from 1
	Name    string    `json:"name"`
	Title   string    `json:"title"`
	Level   string    `json:"level"`            // "beginner", "intermediate", "advanced"
	Reached time.Time `json:"reached,omitzero"` // when its goal was first reached; left out before
}

// ProgressItem is an item of a LessonProgressList. Its JSON is a contract.
type ProgressItem struct {
	Name string `json:"name"` // of the lesson
	lessons.Record
}

// Write lists what was asked for, with the results in the book.
func (l *Options) Write(streams *terminal.Streams, book *lessons.Book) error {
	done, err := book.Progress()
	if done == nil {
		return err
	}
	if err != nil { // a broken file was kept aside
		streams.Say(err)
	}
	all, err := lessons.All()
	if err != nil {
		return err
	}
	list := listOf
	if l.progress {
		list = progressOf
	}
	return list(all, done).Print(streams.Out, streams.ErrOut, l.output, false)
}

// listOf is all lessons, in the order of teaching and by level. Its lines fit a terminal of 80 columns.
func listOf(all []*lessons.Lesson, done *lessons.Progress) *output.List {
	name, title := cells.Width("NAME"), cells.Width("TITLE")
	for _, lesson := range all {
		name, title = max(name, cells.Width(lesson.Name)), max(title, cells.Width(lesson.Title))
	}
	line := func(number, of, about, passed string) string {
		return strings.TrimRight(fmt.Sprintf("%2s  %-*s  %-*s  %s", number, name, of, title, about, passed), " ")
	}
	l := &output.List{Kind: "LessonList", IsText: true, Lines: []string{line("", "NAME", "TITLE", "PASSED")}}
	level := ""
	for i, lesson := range all {
		if lesson.Level != level {
			level = lesson.Level
			l.Lines = append(l.Lines, level)
		}
		reached := done.Lessons[lesson.Name].Reached
		passed := noTime
		if !reached.IsZero() {
			passed = reached.Local().Format(time.DateOnly)
		}
		l.Add(Item{i + 1, lesson.Name, lesson.Title, lesson.Level, reached})
		l.Lines = append(l.Lines, line(strconv.Itoa(i+1), lesson.Name, lesson.Title, passed))
	}
	return l
}

// progressOf lists the lessons that were started, in the order of teaching; those of
// other versions of fathom come last.
func progressOf(all []*lessons.Lesson, done *lessons.Progress) *output.List {
	l := &output.List{
		Kind: "LessonProgressList", Heads: []string{"NAME", "STARTED", "TIMES", "PASSED", "CORRECT", "HINTS", "REPEAT"},
		Empty: "No lessons started yet: demo --list lists them.",
	}
	var names []string
	for _, lesson := range all {
		names = append(names, lesson.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(done.Lessons)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		record, begun := done.Lessons[name]
		if !begun {
			continue
		}
		l.Add(ProgressItem{name, record}, name, whenOrNone(record.Begun), strconv.Itoa(record.Times), reachedWords(&record),
			fmt.Sprintf("%d of %d", record.Right, record.Asked), strconv.Itoa(record.Hints), againWords(&record))
	}
	return l
}

// reachedWords are when the lesson was passed, or its goal reached with the help of an instructor.
func reachedWords(r *lessons.Record) string {
	if r.Reached.IsZero() && !r.Led.IsZero() {
		return "with help " + whenOrNone(r.Led)
	}
	return whenOrNone(r.Reached)
}

// againWords are the progress of a lesson that was completed and started again.
func againWords(r *lessons.Record) string {
	if r.Again == nil {
		return "<none>"
	}
	return fmt.Sprintf("started, %d of %d correct", r.Again.Right, r.Again.Asked)
}

// noTime is a time that has not come.
const noTime = "<none>"

// whenOrNone is a time where the user is.
func whenOrNone(t time.Time) string {
	if t.IsZero() {
		return noTime
	}
	return t.Local().Format("2006-01-02 15:04")
}
