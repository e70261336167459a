package model

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func TestCPUIsWorded(t *testing.T) {
	for _, c := range []struct {
		says  string
		milli int64
		round Rounding
		want  string
	}{
		{"below one core in thousandths", 350, Nearest, "350m"},
		{"nothing", 0, Nearest, "0"},
		{"one core", 1000, Nearest, "1"},
		{"whole cores without a point", 4000, Nearest, "4"},
		{"one decimal where one is enough", 15900, Nearest, "15.9"},
		{"two decimals", 12250, Nearest, "12.25"},
		{"a zero after the point stays", 3050, Nearest, "3.05"},
		{"a third decimal rounds to the nearest", 3655, Nearest, "3.66"},
		{"a shortage rounds up", 3651, Up, "3.66"},
		{"room rounds down", 3659, Down, "3.65"},
		{"rounding up may reach the next core", 3999, Up, "4"},
		{"a hundred cores have no decimals", 376400, Down, "376"},
		{"less than nothing", -350, Down, "-350m"},
		{"room below nothing rounds down too", -1001, Down, "-1.01"},
		{"a shortage below nothing rounds up too", -1009, Up, "-1"},
	} {
		if got := FormatCPU(c.milli, c.round); got != c.want {
			t.Errorf("%s: %dm is %q, want %q", c.says, c.milli, got, c.want)
		}
	}
}

func TestMemoryIsWorded(t *testing.T) {
	for _, c := range []struct {
		says, bytes string
		round       Rounding
		want        string
	}{
		{"whole units", "8Gi", Nearest, "8Gi"},
		{"the largest unit of which there is one", "1024Mi", Nearest, "1Gi"},
		{"the smaller one below that", "512Mi", Nearest, "512Mi"},
		{"a decimal below ten", "1536Mi", Nearest, "1.5Gi"},
		{"none above", "19900Mi", Down, "19Gi"},
		{"a shortage rounds up", "19900Mi", Up, "20Gi"},
		{"a small shortage too", "1025Mi", Up, "1.1Gi"},
		{"bytes", "100", Nearest, "100"},
		{"large clusters", "3Ti", Nearest, "3Ti"},
		{"nothing", "0", Nearest, "0"},
	} {
		quantity := resource.MustParse(c.bytes)
		if got := FormatMemory(quantity.Value(), c.round); got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.says, c.bytes, got, c.want)
		}
	}
}

func TestAPartIsWordedInTheUnitOfItsWhole(t *testing.T) {
	gi := int64(1 << 30)
	for got, want := range map[string]string{
		FormatMemoryOf(88*gi, 120*gi):                                 "88/120Gi",
		FormatMemoryOf(6*gi, 29*gi+gi/2):                              "6/29Gi",
		FormatMemoryOf(gi/4, 29*gi):                                   "0.2/29Gi",
		FormatMemoryOf(0, 0):                                          "0/0",
		FormatCoresOf(21400, 31800):                                   "21.4/31.8",
		FormatCoresOf(3650, 15900):                                    "3.65/15.9",
		FormatCoresOf(900, 15900):                                     "0.9/15.9",
		FormatCount(12400) + " " + "in":                               "12,400 in",
		FormatCount(0):                                                "0",
		FormatCount(999):                                              "999",
		FormatCount(-1234567):                                         "-1,234,567",
		FormatCount(int32(-999)):                                      "-999",
		FormatAge(modeltest.Epoch, modeltest.Epoch.Add(-1)):           "0s",
		FormatAge(modeltest.Epoch, modeltest.Epoch.Add(12e9)):         "12s",
		FormatAge(modeltest.Epoch, modeltest.Epoch.Add(14*6e10)):      "14m",
		FormatAge(modeltest.Epoch, modeltest.Epoch.Add(150*6e10)):     "2h",
		FormatAge(modeltest.Epoch, modeltest.Epoch.AddDate(0, 0, 41)): "41d",
		FormatAge(time.Time{}, modeltest.Epoch):                       "?",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestShortagesRoundUpAndRoomRoundsDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		milli := rapid.Int64Range(0, 1e9).Draw(t, "milli")
		bytes := rapid.Int64Range(0, 1<<52).Draw(t, "bytes")
		up, down := readCores(t, FormatCPU(milli, Up)), readCores(t, FormatCPU(milli, Down))
		if exact := float64(milli) / 1000; up < exact-1e-9 || down > exact+1e-9 {
			t.Fatalf("%dm rounds up to %v and down to %v", milli, up, down)
		}
		over, under := resource.MustParse(FormatMemory(bytes, Up)), resource.MustParse(FormatMemory(bytes, Down))
		if exact := *resource.NewQuantity(bytes, resource.BinarySI); over.Cmp(exact) < 0 || under.Cmp(exact) > 0 {
			t.Fatalf("%d rounds up to %v and down to %v", bytes, &over, &under)
		}
		if off := math.Abs(over.AsApproximateFloat64() - float64(bytes)); off > 0.1*float64(bytes)+1 {
			t.Fatalf("%d is %v, which is too far off", bytes, &over)
		}
	})
}

func readCores(t *rapid.T, text string) float64 {
	digits, milli := strings.CutSuffix(text, "m")
	cores, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		t.Fatal(err)
	}
	if milli {
		cores /= 1000
	}
	return cores
}

// TestASumOfMemoryHoldsAsItIsRead: 60Gi − 59Gi is not 2.7Gi.
func TestASumOfMemoryHoldsAsItIsRead(t *testing.T) {
	const mi, gi = 1 << 20, 1 << 30
	for _, c := range []struct {
		whole, part     int64
		free, all, used string
	}{
		{63810783 << 10, 59520 * mi, "2.7Gi", "60.8Gi", "58.1Gi"},
		{60 * gi, 41 * gi, "19Gi", "60Gi", "41Gi"},
		{60 * gi, 0, "60Gi", "60Gi", "0"},
		{8 * gi, 3*gi + 512*mi, "4.5Gi", "8Gi", "3.5Gi"},
		{60 * gi, 59*gi + 512*mi, "0.5Gi", "60.0Gi", "59.5Gi"},
		{60*gi + 512*mi, 20*gi + 700*mi, "39Gi", "60Gi", "21Gi"},
		{4 * gi, 6 * gi, "-2Gi", "4Gi", "6Gi"},
		{0, 0, "0", "0", "0"},
	} {
		free, all, used := FormatMemorySum(c.whole, c.part)
		if free != c.free || all != c.all || used != c.used {
			t.Errorf("%d − %d: free %s = %s − %s, want %s = %s − %s", c.whole, c.part, free, all, used, c.free, c.all, c.used)
		}
	}
}
