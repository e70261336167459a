package query

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// truth is whether a term holds for a row.
type truth int8

const (
	no truth = iota
	yes
	open // the row's value is unknown
)

func truthOf(holds bool) truth {
	if holds {
		return yes
	}
	return no
}

// comparison is the test of a comparison; cause says what is wrong with it, if anything.
func comparison[T any](field *Field[T], op, text string) (test func(T, *scratch) truth, cause string) {
	switch {
	case op == "~" || op == "!~":
		return contains(field, strings.ToLower(text), op == "~"), ""
	case field.Unit == Word && (op == "=" || op == "!="):
		return equals(field, text, op == "="), ""
	case field.Unit == Word:
		return nil, fmt.Sprintf("%s is text: use = != ~ !~, not %s", field.Name, op)
	}
	if digits, percent := strings.CutSuffix(text, "%"); percent {
		share, err := strconv.ParseFloat(digits, 64)
		switch {
		case err != nil:
			return nil, fmt.Sprintf("%s is not a percentage such as 80%%", text)
		case field.Whole == nil:
			return nil, field.Name + " does not take a percentage"
		}
		return compareShare(field, op, share/100), ""
	}
	wanted, step, cause := parseNumber(field.Unit, text)
	if cause != "" {
		return nil, cause
	}
	return compareNumber(field, op, wanted, step), ""
}

// contains looks for a text, in lower case, in the field's texts of a row.
func contains[T any](field *Field[T], text string, want bool) func(T, *scratch) truth {
	return func(row T, s *scratch) truth {
		value := field.Value(row)
		if value.Unknown {
			return open
		}
		if field.Unit != Word {
			s.cell = field.appendText(s.cell[:0], row)
			return truthOf(containsFold(s.cell, text) == want)
		}
		holds := containsFold(value.Text, text)
		for i := 0; i < len(value.Texts) && !holds; i++ {
			holds = containsFold(value.Texts[i], text)
		}
		return truthOf(holds == want)
	}
}

// equals compares the field's texts of a row, ignoring case.
func equals[T any](field *Field[T], text string, want bool) func(T, *scratch) truth {
	return func(row T, _ *scratch) truth {
		value := field.Value(row)
		if value.Unknown {
			return open
		}
		holds := strings.EqualFold(value.Text, text)
		for i := 0; i < len(value.Texts) && !holds; i++ {
			holds = strings.EqualFold(value.Texts[i], text)
		}
		return truthOf(holds == want)
	}
}

// compareNumber compares with a number; a value that is less than step above it is
// equal to it.
func compareNumber[T any](field *Field[T], op string, wanted, step int64) func(T, *scratch) truth {
	return func(row T, _ *scratch) truth {
		value := field.Value(row)
		if value.Unknown {
			return open
		}
		got := value.Number
		if op == "=" || op == "!=" {
			got -= got % step
		}
		return truthOf(ordered(op, cmp.Compare(got, wanted)))
	}
}

// compareShare compares with a share of the field's whole.
func compareShare[T any](field *Field[T], op string, share float64) func(T, *scratch) truth {
	return func(row T, _ *scratch) truth {
		value, whole := field.Value(row), field.Whole(row)
		if value.Unknown || whole.Unknown || whole.Number == 0 {
			return open
		}
		return truthOf(ordered(op, cmp.Compare(float64(value.Number), share*float64(whole.Number))))
	}
}

func ordered(op string, order int) bool {
	switch op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	default:
		return order >= 0
	}
}

// parseNumber reads a value in a field's unit. step is its precision: age=2h holds
// from 2h up to 3h, as the column shows.
func parseNumber(unit Unit, text string) (wanted, step int64, cause string) {
	if unit == Duration {
		wanted, step, ok := parseDuration(text)
		if !ok {
			return 0, 0, text + " is not a duration such as 90s, 2h or 3d"
		}
		return wanted, step, ""
	}
	quantity, err := resource.ParseQuantity(text)
	switch {
	case err != nil && unit == Integer:
		return 0, 0, text + " is not a number"
	case err != nil:
		return 0, 0, text + " is not a quantity such as 500m or 8Gi"
	case unit == Cores:
		amount, _ := model.Count(corev1.ResourceCPU, quantity)
		return amount, 1, ""
	case unit == Integer && quantity.MilliValue()%1000 != 0:
		return 0, 0, text + " is not a whole number"
	}
	amount, _ := model.Count("", quantity)
	return amount, 1, ""
}

// durations are the units of time by their letter.
var durations = map[byte]time.Duration{
	's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour, 'y': 365 * 24 * time.Hour,
}

// parseDuration reads 90s, 2h, 3d, 1h30m; step is the smallest unit of it.
func parseDuration(text string) (sum, step int64, ok bool) {
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		if end <= 0 {
			return 0, 0, false
		}
		count, err := strconv.ParseInt(text[:end], 10, 64)
		one := int64(durations[text[end]])
		if err != nil || one == 0 || count > math.MaxInt64/one || sum > math.MaxInt64-count*one {
			return 0, 0, false
		}
		sum, step, text = sum+count*one, one, text[end+1:]
	}
	return sum, step, step > 0
}

// chars is text in either of its forms.
type chars interface{ ~string | ~[]byte }

// containsFold reports whether text contains lower, which is in lower case, ignoring
// case.
func containsFold[C chars](text C, lower string) bool {
	if lower == "" {
		return true
	}
	for at := 0; at+len(lower) <= len(text); at++ {
		if model.AsLower(text[at]) == lower[0] && hasPrefixFold(text[at:], lower) {
			return true
		}
	}
	return !isASCII(text) && strings.Contains(strings.ToLower(string(text)), lower)
}

func hasPrefixFold[C chars](text C, lower string) bool {
	for i := range len(lower) {
		if model.AsLower(text[i]) != lower[i] {
			return false
		}
	}
	return true
}

func isASCII[C chars](text C) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
