package lessons

import (
	"embed"
	"fmt"
	"slices"
)

//go:embed *.yaml
var files embed.FS

// order is the order of teaching, from beginner to advanced.
var order = []string{
	"requests",
	"qos",
	"selectors",
	"taint-effects",
	"host-ports",
	"fragmentation",
	"noexecute",
	"dedicated-nodes",
	"node-failure",
	"anti-affinity",
	"spread",
	"blocked-drain",
	"preemption",
	"quota",
	"non-preempting",
	"volume-zone",
	"gates",
	"scoring",
}

// All are the built-in lessons, in the order of teaching.
func All() ([]*Lesson, error) {
	var all []*Lesson
	for _, name := range order {
		lesson, err := open(name)
		if err != nil {
			return nil, err
		}
		all = append(all, lesson)
	}
	return all, nil
}

// Count is the number of built-in lessons.
func Count() int { return len(order) }

// Names are their names, in the order of teaching.
func Names() []string { return slices.Clone(order) }

// Named finds a built-in lesson and its number, counted from 1.
func Named(name string) (lesson *Lesson, number int, err error) {
	at := slices.Index(order, name)
	if at < 0 {
		return nil, 0, fmt.Errorf("open lesson %s: no such lesson; demo --list lists them", name)
	}
	lesson, err = open(name)
	return lesson, at + 1, err
}

// After is the lesson after the one with that number, counted from 1. It is nil for
// the last one and for 0.
func After(number int) (*Lesson, error) {
	if number < 1 || number >= len(order) {
		return nil, nil
	}
	return open(order[number])
}

func open(name string) (*Lesson, error) {
	file, err := files.Open(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("open lesson %s: %w", name, err)
	}
	lesson, err := Read(file)
	if err == nil && lesson.Name != name {
		return nil, fmt.Errorf("open lesson %s: the file has the name %s", name, lesson.Name)
	}
	return lesson, err
}
