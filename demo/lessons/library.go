package lessons

import (
	"embed"
	"fmt"
	"slices"
)

//go:embed *.yaml
var files embed.FS

// order is that of teaching, from the first hour to hard.
var order = []string{
	"what-counts",
	"qos",
	"selectors",
	"wrong-effect",
	"host-ports",
	"pieces",
	"throw-out",
	"own-pool",
	"node-failure",
	"one-too-many",
	"spread",
	"blocked-drain",
	"preemption",
	"quota",
	"never",
	"volume-zone",
	"gates",
	"scoring",
}

// All are the lessons that come with fathom, in the order of teaching.
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

// Count is how many there are.
func Count() int { return len(order) }

// Names are their names, in the order of teaching.
func Names() []string { return slices.Clone(order) }

// Named finds a lesson that comes with fathom, and its number, counted from 1.
func Named(name string) (lesson *Lesson, number int, err error) {
	at := slices.Index(order, name)
	if at < 0 {
		return nil, 0, fmt.Errorf("open lesson %s: there is none of that name; demo --list lists them", name)
	}
	lesson, err = open(name)
	return lesson, at + 1, err
}

// After is the lesson after that of a number, counted from 1; nil after the last
// one, and after 0, which is none.
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
		return nil, fmt.Errorf("open lesson %s: the file says that it is %s", name, lesson.Name)
	}
	return lesson, err
}
