package query

import "time"

// Words is a field of text that a column shows.
func Words[T any](name string, of func(T) string) Field[T] {
	return Field[T]{Name: name, Column: true, Value: func(row T) Value { return word(of(row)) }}
}

// WordList is a field of several texts that a column shows.
func WordList[T any](name string, of func(T) []string) Field[T] {
	return Field[T]{Name: name, Column: true, Value: func(row T) Value { return Value{Texts: of(row)} }}
}

// Number is a field of a figure that a column shows; unknown where known is false.
func Number[T any](name string, unit Unit, of func(T) (figure int64, known bool)) Field[T] {
	return Field[T]{Name: name, Unit: unit, Column: true, Value: func(row T) Value {
		figure, known := of(row)
		return Value{Number: figure, Unknown: !known}
	}}
}

// Age is a field of how long ago something was; the zero time is unknown.
func Age[T any](name string, now time.Time, of func(T) time.Time) Field[T] {
	return Field[T]{Name: name, Unit: Duration, Column: true, Value: func(row T) Value { return since(of(row), now) }}
}
