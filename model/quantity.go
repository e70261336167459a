package model

import (
	"math"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// Rounding is how digits that are not shown are rounded. Shortages round up and free
// capacity rounds down, so that acting on a shown figure is enough.
type Rounding int8

// The ways to round.
const (
	Nearest Rounding = iota
	Up
	Down
)

// atLeast stands before the greatest figure that there is: see Resources.
const atLeast = ">="

// appendInt writes a number of things.
func appendInt(dst []byte, n int64) []byte {
	if n == math.MaxInt64 {
		dst = append(dst, atLeast...)
	}
	return strconv.AppendInt(dst, n, 10)
}

// UnknownFigure stands where a figure is not known.
const UnknownFigure = "?"

// FormatCPU words thousandths of a core: "350m" below one core, else cores with
// at most two decimals: "3.65", "15.9", "4".
func FormatCPU(milli int64, round Rounding) string {
	return string(AppendCPU(nil, milli, round))
}

// FormatCores words thousandths of a core as cores, below one too, for columns
// of figures that are compared by eye: "0.9", "3.65", "15.9".
func FormatCores(milli int64, round Rounding) string {
	return string(appendCores(nil, milli, round))
}

// FormatCoresOf words a part of a whole, "21.4/31.8"; what the part is rounds down.
func FormatCoresOf(milli, whole int64) string {
	dst := append(appendCores(nil, milli, Down), '/')
	return string(appendCores(dst, whole, Down))
}

// FormatMemory words bytes in the largest unit of which there is one at least:
// "8Gi", "512Mi", "1.5Gi"; one decimal below ten.
func FormatMemory(bytes int64, round Rounding) string {
	return string(AppendMemory(nil, bytes, round))
}

// FormatMemoryOf words a part of a whole in the whole's unit, "88/120Gi"; both
// round down.
func FormatMemoryOf(bytes, whole int64) string {
	unit := unitOf(whole)
	dst := append(appendDecimal(nil, bytes, unit.size, 1, Down), '/')
	return string(append(appendDecimal(dst, whole, unit.size, 1, Down), unit.name...))
}

// FormatMemorySum words free = whole − part so that the sum holds as it is read: to a tenth of the whole's unit where the
// rounded figures do not add up. What is free rounds down.
func FormatMemorySum(whole, part int64) (free, all, used string) {
	free, all, used = FormatMemory(whole-part, Down), FormatMemory(whole, Down), FormatMemory(part, Up)
	unit := unitOf(whole)
	if part < 0 || whole < part || whole > math.MaxInt64/16 {
		return free, all, used
	}
	shown := func(bytes int64, round Rounding) int64 { // in tenths of the unit; -1: in a smaller one
		switch {
		case bytes >= 10*unit.size:
			return (bytes/unit.size + scaled(bytes%unit.size, unit.size, 1, round)) * 10
		case bytes >= unit.size || bytes == 0:
			return bytes/unit.size*10 + scaled(bytes%unit.size, unit.size, 10, round)
		}
		return -1
	}
	if f, p := shown(whole-part, Down), shown(part, Up); f >= 0 && p >= 0 && shown(whole, Down)-p == f {
		return free, all, used
	}
	tenths := func(bytes int64) int64 { return bytes/unit.size*10 + scaled(bytes%unit.size, unit.size, 10, Down) }
	word := func(n int64) string {
		return strconv.FormatInt(n/10, 10) + "." + strconv.FormatInt(n%10, 10) + unit.name
	}
	f, a := tenths(whole-part), tenths(whole)
	return word(f), word(a), word(a - f)
}

// FormatMemoryShortSum is FormatMemorySum for narrow columns: in whole units where a hundred of them are free.
func FormatMemoryShortSum(whole, part int64) (free, all, used string) {
	unit := unitOf(whole)
	const short = 100
	if f, a := (whole-part)/unit.size, whole/unit.size; part >= 0 && f >= short && whole <= math.MaxInt64/16 {
		return FormatMemory(f*unit.size, Down), FormatMemory(a*unit.size, Down), FormatMemory((a-f)*unit.size, Down)
	}
	return FormatMemorySum(whole, part)
}

// FormatCount words a number of things with a comma at each thousand: "12,400".
func FormatCount[N ~int | ~int32 | ~int64](n N) string {
	if int64(n) == math.MaxInt64 {
		return atLeast + strconv.FormatInt(math.MaxInt64, 10)
	}
	digits := strconv.FormatInt(int64(n), 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for at := len(digits) - 3; at > start; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// FormatAge words how long something has been, in one unit: "12s", "14m", "2h",
// "41d"; "?" if it is not known since when.
func FormatAge(since, now time.Time) string {
	if since.IsZero() {
		return UnknownFigure
	}
	return duration.ShortHumanDuration(max(now.Sub(since), 0))
}

// AppendCPU adds an amount of cpu to dst: "350m" below one core, "12.25" above.
func AppendCPU(dst []byte, milli int64, round Rounding) []byte {
	if -1000 < milli && milli < 1000 && milli != 0 {
		return append(strconv.AppendInt(dst, milli, 10), 'm')
	}
	return appendCores(dst, milli, round)
}

func appendCores(dst []byte, milli int64, round Rounding) []byte {
	return appendDecimal(dst, milli, 1000, 2, round)
}

// AppendMemory adds an amount of memory to dst, in the largest binary unit: "1.5Gi".
func AppendMemory(dst []byte, bytes int64, round Rounding) []byte {
	unit := unitOf(bytes)
	return append(appendDecimal(dst, bytes, unit.size, 1, round), unit.name...)
}

// unit is a binary unit of memory.
type unit struct {
	size int64
	name string
}

// units from large to small; below the last one bytes are counted.
var units = []unit{{1 << 50, "Pi"}, {1 << 40, "Ti"}, {1 << 30, "Gi"}, {1 << 20, "Mi"}, {1 << 10, "Ki"}}

func unitOf(bytes int64) unit {
	for _, u := range units {
		if bytes >= u.size || -bytes >= u.size {
			return u
		}
	}
	return unit{1, ""}
}

// appendDecimal writes amount/one with so many decimals at most and no zeros at
// the end: one decimal stands below ten only, two below a hundred.
func appendDecimal(dst []byte, amount, one int64, decimals int, round Rounding) []byte {
	switch amount {
	case math.MaxInt64:
		dst, round = append(dst, atLeast...), Down
	case math.MinInt64:
		amount++ // its opposite is none
	}
	if amount < 0 {
		dst, amount = append(dst, '-'), -amount
		round = map[Rounding]Rounding{Up: Down, Down: Up}[round]
	}
	whole, rest := amount/one, amount%one
	scale := int64(1)
	for range decimals {
		scale *= 10
	}
	if whole >= scale {
		scale = 1
	}
	part := scaled(rest, one, scale, round)
	whole, part = whole+part/scale, part%scale
	dst = strconv.AppendInt(dst, whole, 10)
	if part == 0 {
		return dst
	}
	dst = append(dst, '.')
	for part > 0 {
		scale /= 10
		dst = append(dst, byte('0'+part/scale))
		part %= scale
	}
	return dst
}

// scaled is rest/one in parts of 1/scale, rounded. rest is below one, so that
// nothing overflows with units up to 2^50 and scales up to 100.
func scaled(rest, one, scale int64, round Rounding) int64 {
	product := rest * scale
	switch round {
	case Up:
		return (product + one - 1) / one
	case Down:
		return product / one
	default:
		return (product + one/2) / one
	}
}
