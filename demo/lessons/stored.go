package lessons

import (
	"cmp"
	"time"
)

// stored is a Record as a file has it: with the names of the fields today, or with those
// that were in use until November 2026.
type stored struct {
	Record
	Begun time.Time `json:"begun,omitzero"`
	Led   time.Time `json:"led,omitzero"`
	Right int       `json:"right"`
	Again *struct {
		Begun time.Time `json:"begun"`
		Asked int       `json:"asked"`
		Right int       `json:"right"`
		Hints int       `json:"hints"`
	} `json:"again,omitempty"`
}

// record is the Record, whichever names the file has.
func (s *stored) record() Record {
	r := s.Record
	if r.Begun.IsZero() {
		r.Begun = s.Begun
	}
	if r.Led.IsZero() {
		r.Led = s.Led
	}
	r.Right = cmp.Or(r.Right, s.Right)
	if r.Again == nil && s.Again != nil {
		r.Again = &Again{Begun: s.Again.Begun, Result: Result{Asked: s.Again.Asked, Right: s.Again.Right, Hints: s.Again.Hints}}
	}
	return r
}

// progressOf is the progress that a file holds.
func progressOf(kept map[string]stored) *Progress {
	p := &Progress{Lessons: make(map[string]Record, len(kept))}
	for name := range kept {
		one := kept[name]
		p.Lessons[name] = one.record()
	}
	return p
}
