package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/session"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
)

// lessonLists is what demo writes instead of opening the dashboard.
type lessonLists struct {
	list, progress bool
	output         string
}

func (l *lessonLists) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&l.list, "list", false, "List the lessons.")
	cmd.Flags().BoolVar(&l.progress, "progress", false, "List the lessons that you started, with results.")
	output.AddFlag(cmd, &l.output, "text", "json")
}

// wanted reports whether something is to be listed.
func (l *lessonLists) wanted() bool { return l.list || l.progress }

// validate rejects what does not go together.
func (l *lessonLists) validate(cmd *cobra.Command) error {
	switch {
	case l.list && l.progress, l.wanted() && cmd.Flags().Changed("lesson"):
		return exit.Usagef("demo: --list, --progress and --lesson cannot be used together")
	case cmd.Flags().Changed("output") && !l.wanted():
		return exit.Usagef("demo -o %s: it needs --list or --progress", l.output)
	}
	return output.Check(l.output, "text", "json")
}

// lessonItem is a lesson in JSON.
type lessonItem struct {
	Number  int       `json:"number"`
	Name    string    `json:"name"`
	Title   string    `json:"title"`
	Level   string    `json:"level"`
	Reached time.Time `json:"reached,omitzero"`
}

// progressItem is the progress of a lesson, in JSON.
type progressItem struct {
	Name string `json:"name"`
	lessons.Record
}

// write lists what was asked for.
func (l *lessonLists) write(streams *terminal.Streams) error {
	done, err := session.LessonBook().Progress()
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
	list := lessonList
	if l.progress {
		list = progressOf
	}
	return list(all, done).Print(streams.Out, streams.ErrOut, l.output, false)
}

// lessonList is all lessons, in the order of teaching.
func lessonList(all []*lessons.Lesson, done *lessons.Progress) *output.List {
	l := &output.List{Kind: "LessonList", Heads: []string{"NUMBER", "NAME", "TITLE", "LEVEL", "PASSED"}}
	for i, lesson := range all {
		reached := done.Lessons[lesson.Name].Reached
		l.Add(lessonItem{i + 1, lesson.Name, lesson.Title, lesson.Level, reached},
			strconv.Itoa(i+1), lesson.Name, lesson.Title, lesson.Level, whenOrNone(reached))
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
		l.Add(progressItem{name, record}, name, whenOrNone(record.Begun), strconv.Itoa(record.Times), reachedWords(&record),
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

// whenOrNone is a time where the user is.
func whenOrNone(t time.Time) string {
	if t.IsZero() {
		return "<none>"
	}
	return t.Local().Format("2006-01-02 15:04")
}
