package query

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// kept names the rows that a filter keeps, in their order.
func kept[T any](t *testing.T, fields *Fields[T], rows []T, text string) (names, note string) {
	t.Helper()
	filter, err := Compile(fields, text)
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return "", ""
	}
	result, err := filter.Apply(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, row := range result.Rows {
		name, _, _ := strings.Cut(string(fields.Names(nil, row)), "\n")
		all = append(all, name[strings.LastIndexByte(name, '/')+1:])
	}
	return strings.Join(all, " "), result.Note()
}

func TestPodsAreFiltered(t *testing.T) {
	s := fleet()
	fields := PodFields(modeltest.Epoch, s)
	const all = "report-1 report-2 train-7xk2p index-0 checkout-6c9d8b7f4-x2x1p chat-rack-unit"
	for _, c := range []struct{ says, filter, want string }{
		{"no filter keeps all", "  ", all},
		{"a word finds names that hold it", "report", "report-1 report-2"},
		{"and those that hold its letters in order", "rep1", "report-1"},
		{"letters in order do not count where a name holds the word", "-1", "report-1"},
		{"no case in a word", "REPORT", "report-1 report-2"},
		{"a word is looked for in namespace/name", "shop/check", "checkout-6c9d8b7f4-x2x1p"},
		{"all terms must hold", "report 2", "report-2"},
		{"a word may be turned round", "!report !index", "train-7xk2p checkout-6c9d8b7f4-x2x1p chat-rack-unit"},
		{"-f is a word too", "-f report", "report-1 report-2"},
		{"a regular expression has no case", "/CRASHLOOP/", "chat-rack-unit"},
		{"and looks in every column", "/std-b-02|gpu-a/", "report-1 report-2 index-0"},
		{"each column for itself", "/^report-1$|^pending$/", "train-7xk2p checkout-6c9d8b7f4-x2x1p"},
		{"it may lack its end", "/^ml$", "train-7xk2p"},
		{"it may hold a slash", "/batch/rep.*1/", "report-1"},
		{"it may hold a blank, and a term may follow", "/no such|index/ ns=search", "index-0"},
		{"it may be turned round", "!/batch|web/", "train-7xk2p index-0 checkout-6c9d8b7f4-x2x1p"},
		{"quoted text stands as it is", `"x2x1p"`, "checkout-6c9d8b7f4-x2x1p"},
		{"no letter of it is special", `"report.1"`, ""},
		{"labels select", "-l app=report", "report-1 report-2"},
		{"labels select by sets", `-l "app in (index, train)"`, "train-7xk2p index-0"},
		{"labels may be turned round", "!-l app=report ns=batch", ""},
		{"a label is a field too", "label=app=train", "train-7xk2p"},
		{"none of many labels", "label!=app=report label!=app=chat", "train-7xk2p index-0 checkout-6c9d8b7f4-x2x1p"},
		{"cpu compares", "cpu>1 age<1d", "report-1 train-7xk2p index-0 checkout-6c9d8b7f4-x2x1p"},
		{"cpu in thousandths", "cpu<=500m", "report-2 chat-rack-unit"},
		{"memory compares", "mem>=8Gi", "report-1 train-7xk2p checkout-6c9d8b7f4-x2x1p"},
		{"memory exactly", "memory=64Mi", "chat-rack-unit"},
		{"unequal", "cpu!=4", "report-2 train-7xk2p index-0 chat-rack-unit"},
		{"gpus", "gpu>0", "train-7xk2p"},
		{"durations", "age>=90s age<2h", "index-0 checkout-6c9d8b7f4-x2x1p chat-rack-unit"},
		{"a duration as the column shows it", "age=14m", "index-0 checkout-6c9d8b7f4-x2x1p"},
		{"a duration in two units", "age>1h59m age<1d1h", "report-1 train-7xk2p"},
		{"whole numbers", "prio>=1000", "train-7xk2p"},
		{"restarts", "restarts>2", "report-1"},
		{"ready containers", "ready<1", "train-7xk2p checkout-6c9d8b7f4-x2x1p chat-rack-unit"},
		{"words are equal in any case", "status=crashloopbackoff", "chat-rack-unit"},
		{"words hold", "node~STD", "report-1 report-2"},
		{"words do not hold", "node!~std status!=pending", "index-0 chat-rack-unit"},
		{"no node", `node=""`, "train-7xk2p checkout-6c9d8b7f4-x2x1p"},
		{"the class of service by both its words", "qos=Guar", "report-1"},
		{"and the whole one", "qos=guaranteed", "report-1"},
		{"the taint of its node", "taint~gpu", "index-0"},
		{"the zone of its node", "zone=eu-1b", "report-1 report-2 chat-rack-unit"},
		{"a share of what is requested", "cpu.used>80%", "report-1"},
		{"a field in any case", "CPU>=32", "train-7xk2p"},
		{"a comparison turned round", "!cpu>1", "report-2 chat-rack-unit"},
		{"limits where there are any", "cpu.limit>=4", "report-1"},
	} {
		if got, _ := kept(t, fields, s.Pods, c.filter); got != c.want {
			t.Errorf("%s: %s keeps\n %s, want\n %s", c.says, c.filter, got, c.want)
		}
	}
}

func TestNodesAreFiltered(t *testing.T) {
	s := fleet()
	fields := NodeFields(modeltest.Epoch, s.Usage)
	for _, c := range []struct{ says, filter, want string }{
		{"by name", "spot", "spot-a-01 spot-b-01"},
		{"the cordoned", "status=cordoned", "spot-a-01"},
		{"kubectl's word for them", "status=SchedulingDisabled", "spot-a-01"},
		{"which a regular expression finds too", "/schedulingdisabled/", "spot-a-01"},
		{"the ready", "status=ready", "gpu-a-01 spot-a-01 std-b-02"},
		{"the others", "status!=ready", "spot-b-01"},
		{"a taint by its key", "taint=dedicated", "gpu-a-01"},
		{"a taint spelled out", "taint=dedicated=gpu:NoSchedule", "gpu-a-01"},
		{"Kubernetes' own by short name", "taint=not-ready:NoExecute", "spot-b-01"},
		{"and by the whole", "taint=node.kubernetes.io/not-ready", "spot-b-01"},
		{"none of the taints", "taint!~noschedule", "spot-a-01 std-b-02"},
		{"free cpu", "cpu.free>10", "gpu-a-01 std-b-02"},
		{"as the column is called", "cpu-free<7.9", "spot-b-01"},
		{"a share that is free", "mem.free<90%", "std-b-02"},
		{"what is allocatable", "cpu.alloc=7900m", "spot-a-01 spot-b-01"},
		{"pods", "pods>0", "gpu-a-01 spot-b-01 std-b-02"},
		{"zone and pool", "zone=eu-1a pool=spot", "spot-a-01"},
		{"labels", "-l disk=ssd,karpenter.sh/nodepool=std", "std-b-02"},
		{"gpus that are there", "gpu.alloc>=8", "gpu-a-01"},
		{"used", "cpu.used>90%", "gpu-a-01"},
		{"by age", "age>40d", "gpu-a-01 spot-a-01 spot-b-01 std-b-02"},
	} {
		if got, _ := kept(t, fields, s.Nodes, c.filter); got != c.want {
			t.Errorf("%s: %s keeps\n %s, want\n %s", c.says, c.filter, got, c.want)
		}
	}
}

func TestPendingIsFiltered(t *testing.T) {
	s := fleet()
	rows := []PendingRow{}
	for _, kind := range s.Pending {
		rows = append(rows, PendingRow{Kind: kind, State: "no node fits", Why: "std-b-02: cpu 350m short"})
	}
	rows[0].State, rows[0].Why = "", ""
	fields := PendingFields(modeltest.Epoch)
	for _, c := range []struct{ says, filter, want string }{
		{"all that wait, the most important first", "", "train-7xk2p checkout-6c9d8b7f4-x2x1p chat-rack-unit"},
		{"by state", `state="no node fits"`, "checkout-6c9d8b7f4-x2x1p chat-rack-unit"},
		{"by why", "why~350m", "checkout-6c9d8b7f4-x2x1p chat-rack-unit"},
		{"by how long", "for>1h", "train-7xk2p"},
		{"by priority", "prio>0", "train-7xk2p"},
		{"by node, for those that have one", "node=spot-b-01", "chat-rack-unit"},
		{"by scheduler", "scheduler=default-scheduler cpu>=4", "train-7xk2p checkout-6c9d8b7f4-x2x1p"},
		{"by name", "train", "train-7xk2p"},
		{"by what is requested", "/nvidia.com.gpu 1/", "train-7xk2p"},
	} {
		if got, _ := kept(t, fields, rows, c.filter); got != c.want {
			t.Errorf("%s: %s keeps\n %s, want\n %s", c.says, c.filter, got, c.want)
		}
	}
}

func TestUnknownValuesMatchNothingAndAreCounted(t *testing.T) {
	s := fleet()
	fields := NodeFields(modeltest.Epoch, s.Usage)
	for _, c := range []struct{ says, filter, want, note string }{
		{"more than", "cpu.used>10", "gpu-a-01", "2 rows have no cpu.used"},
		{"less than", "cpu.used<10", "std-b-02", "2 rows have no cpu.used"},
		{"unequal", "cpu.used!=10", "gpu-a-01 std-b-02", "2 rows have no cpu.used"},
		{"turned round", "!cpu.used>10", "std-b-02", "2 rows have no cpu.used"},
		{"only rows that nothing else keeps out", "cpu.used>10 zone=eu-1a", "gpu-a-01", "1 row has no cpu.used"},
		{"each row once", "mem.used>1 cpu.used>1", "gpu-a-01 std-b-02", "2 rows have no mem.used"},
		{"none where all is known", "cpu>0", "gpu-a-01 spot-b-01 std-b-02", ""},
	} {
		if got, note := kept(t, fields, s.Nodes, c.filter); got != c.want || note != c.note {
			t.Errorf("%s: %s keeps %s (%s), want %s (%s)", c.says, c.filter, got, note, c.want, c.note)
		}
	}
	if _, note := kept(t, fields, s.Nodes, "gpu|spot"); note != "a regular expression needs slashes: /a|b/" {
		t.Errorf("a word with a bar: %q", note)
	}
	for filter, want := range map[string]string{
		"pool=no such pool":        `try pool="no such pool"`,
		"pool~no such zone=x":      `try pool~"no such"`,
		`pool="no such" pool`:      "",
		"pool=none !such zone=x":   "",
		"pool=none zone=eu-1a gpu": `try zone="eu-1a gpu"`,
	} {
		if got, note := kept(t, fields, s.Nodes, filter); got != "" || note != want {
			t.Errorf("%s keeps %q, with the note %q, want %q", filter, got, note, want)
		}
	}
}

func TestAFilterThatIsWrongSaysWhat(t *testing.T) {
	fields := PodFields(modeltest.Epoch, fleet())
	for _, c := range []struct {
		says, filter, want string
		lists              bool // the fields there are
	}{
		{"no such field", "colour=red", `read colour=red: unknown field "colour"`, true},
		{"half a comparison", "report cpu>", "read cpu>: a value is missing after >", false},
		{"half a quote", `"app`, `read "app: the closing quote is missing`, false},
		{"text behind a quote", `"app"x`, `read "app"x: a space is missing after the quote`, false},
		{"half a value in quotes", `node="a b`, `read node="a b: the closing quote is missing`, false},
		{"nothing to negate", "report !", "read !: a term is missing after !", false},
		{"no expression", "/", "read /: the regular expression is missing", false},
		{"half an expression", "/(a", "read /(a: missing closing )", false},
		{"a wrong range", "/a[z-a]", "read /a[z-a]: invalid character class range: z-a", false},
		{"no selector", "-l", "read -l: a selector such as app=web is missing", false},
		{"a broken selector", "-l a=b=c", "read -l a=b=c: found '=', expected: ',' or 'end of string'", false},
		{"no word", "-f ", "read -f: a word is missing", false},
		{"no quantity", "mem>8gi", "read mem>8gi: 8gi is not a quantity such as 500m or 8Gi", false},
		{"no number", "prio>high", "read prio>high: high is not a number", false},
		{"half a number", "prio>1.5", "read prio>1.5: 1.5 is not a whole number", false},
		{"no duration", "age>5", "read age>5: 5 is not a duration such as 90s, 2h or 3d", false},
		{"a duration that is too long", "age>99999999999999y", "read age>99999999999999y: 99999999999999y is not a duration such as 90s, 2h or 3d", false},
		{"no percentage", "cpu.used>x%", "read cpu.used>x%: x% is not a percentage such as 80%", false},
		{"a percentage of nothing", "age>80%", "read age>80%: age does not take a percentage", false},
		{"an order of words", "status>Running", "read status>Running: status is text: use = != ~ !~, not >", false},
	} {
		_, err := Compile(fields, c.filter)
		if err == nil {
			t.Errorf("%s: %s is taken", c.says, c.filter)
			continue
		}
		said, list, lists := strings.Cut(err.Error(), "; fields: ")
		if said != c.want || lists != c.lists {
			t.Errorf("%s: %s says\n %s, want\n %s", c.says, c.filter, err, c.want)
		}
		if lists && !strings.HasPrefix(list, "ns name ready status") {
			t.Errorf("%s: lists %s", c.says, list)
		}
		if wrong := new(FilterError); !errors.As(err, &wrong) || wrong.Term == "" {
			t.Errorf("%s: no FilterError with a term: %v", c.says, err)
		}
	}
}

func TestTheBestMatchComesFirst(t *testing.T) {
	fields := &Fields[string]{Names: func(dst []byte, name string) []byte { return append(dst, name...) }}
	for _, c := range []struct{ says, filter, rows, want string }{
		{"as it stands, and then no letters in order", "web", "w-e-b x-web-1 w-x-e-b", "x-web-1"},
		{"letters in order where no name holds the word", "web", "w-e-b x-wed-1 w-x-e-b", "w-e-b w-x-e-b"},
		{"as few words by letters in order as there are", "web ab", "w-e-b-ab web-a-b we-b-a-b", "web-a-b w-e-b-ab"},
		{"the start of a name before the start of a part", "web", "shop/my-web shop/web-my", "shop/web-my shop/my-web"},
		{"the start of a part before its middle", "web", "cobweb my-web-x", "my-web-x cobweb"},
		{"the shorter name before the longer", "web", "web-long web-1", "web-1 web-long"},
		{"equal ones as they came", "web", "web-2 web-1", "web-2 web-1"},
		{"starts of parts before other letters in order", "wf", "web-foo-x wolffs", "web-foo-x wolffs"},
		{"several words together", "web 1", "x-web-1 web-1 web-2", "web-1 x-web-1"},
		{"without a word as they came", "!x", "b a x c", "b a c"},
	} {
		if got, _ := kept(t, fields, strings.Fields(c.rows), c.filter); got != nameless(c.want) {
			t.Errorf("%s: %s gives %s, want %s", c.says, c.filter, got, c.want)
		}
	}
}

// nameless leaves out the namespaces.
func nameless(names string) string { return strings.ReplaceAll(names, "shop/", "") }

// typing draws a filter as somebody may type it, letter by letter.
var typing = rapid.Custom(func(t *rapid.T) string {
	terms := rapid.SliceOfN(rapid.SampledFrom([]string{
		"re", "report", "a|b", "!web", `"ind"`, `"index-0"`, "cpu>1", "cpu.used>10m", "!cpu.used<1", "status~run", "status~running",
		"/rep.*t/", "/check|index", "-l app=report", "node!=std-b-02", "zone=eu-1b", "age<1d", "-f x2", "!", "cpu>", "-l", `"`,
	}), 0, 3).Draw(t, "terms")
	return strings.Join(terms, " ")
})

func TestTypingOnGivesWhatStartingAnewGives(t *testing.T) {
	s := fleet()
	fields := PodFields(modeltest.Epoch, s)
	rapid.Check(t, func(t *rapid.T) {
		var last *Filtered[*model.Pod]
		text := typing.Draw(t, "text")
		for end := range len(text) + 1 {
			filter, err := Compile(fields, text[:end])
			if err != nil {
				continue
			}
			got, err := filter.Apply(context.Background(), s.Pods, last)
			if err != nil {
				t.Fatal(err)
			}
			want, err := filter.Apply(context.Background(), s.Pods, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Rows, want.Rows) || got.Note() != want.Note() {
				t.Fatalf("%q after its shorter forms keeps %d rows (%s), anew %d (%s)",
					text[:end], len(got.Rows), got.Note(), len(want.Rows), want.Note())
			}
			last = got
		}
	})
}

func TestApplyKeepsWhatMatches(t *testing.T) {
	s := fleet()
	fields := PodFields(modeltest.Epoch, s)
	rapid.Check(t, func(t *rapid.T) {
		filter, err := Compile(fields, typing.Draw(t, "text"))
		if err != nil {
			t.Skip("half typed")
		}
		result, err := filter.Apply(context.Background(), s.Pods, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, pod := range s.Pods {
			if filter.Match(pod) != slices.Contains(result.kept, pod) || slices.Contains(result.Rows, pod) && !filter.Match(pod) {
				t.Fatalf("%s: matches %t", pod.FullName(), filter.Match(pod))
			}
		}
	})
}

func TestAnyTextIsAFilterOrAnError(t *testing.T) {
	s := fleet()
	fields := PodFields(modeltest.Epoch, s)
	pieces := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]string{
		" ", "!", "/", `"`, "-l", "-f", "cpu", "age", "status", "=", "!=", "~", ">", "<", "80%", "1h", "500m", "(", "a", "\\",
	}), rapid.String()))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(pieces.Draw(t, "pieces"), "")
		filter, err := Compile(fields, text)
		if err != nil {
			if wrong := new(FilterError); !errors.As(err, &wrong) || wrong.Cause == "" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if _, err := filter.Apply(context.Background(), s.Pods, nil); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

func TestManyRowsAreFilteredLikeFew(t *testing.T) {
	b := fill(1_300, 10)
	s := b.Build(1, model.Status{}, nil)
	fields := PodFields(modeltest.Epoch, s)
	for _, text := range []string{"node!=node-00007", "app-77", "a77 !9", "cpu.used>1"} {
		filter, err := Compile(fields, text)
		if err != nil {
			t.Fatal(err)
		}
		all, err := filter.Apply(t.Context(), s.Pods, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want []*model.Pod
		missing := 0
		for few := range slices.Chunk(s.Pods, 100) {
			part, err := filter.Apply(t.Context(), few, nil)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, part.kept...)
			for _, m := range part.Missing {
				missing += m.Rows
			}
		}
		if !slices.Equal(all.kept, want) {
			t.Errorf("%s: %d rows, want %d", text, len(all.kept), len(want))
		}
		if len(all.Missing) > 0 && all.Missing[0].Rows != missing {
			t.Errorf("%s: %v are not known, want %d", text, all.Missing, missing)
		}
		alone := part[*model.Pod]{loose: map[string][]int{}, missing: map[string]int{}}
		alone.ask(t.Context(), filter, s.Pods)
		literal := alone.literal()
		if all.Ranked && !slices.Equal(all.Rows, literal.best(t.Context(), filter)) {
			t.Errorf("%s: another order than that of one processor", text)
		}
	}
}

func TestAnExpressionFindsWhatGoFinds(t *testing.T) {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "ab", "abc", "k", "|", "(", ")", "*", "+", "?", ".", "[ab]", "{2}", "^", "$", "-", "(?-i:AB)", `\.`, `\b`,
	}), 1, 8)
	names := rapid.StringOfN(rapid.SampledFrom([]rune("abcABCk\u212a-. ")), 0, 12, -1)
	fields := &Fields[string]{List: []Field[string]{{Name: "name", Column: true, Value: word}}}
	rapid.Check(t, func(t *rapid.T) {
		expression := strings.Join(pieces.Draw(t, "expression"), "")
		filter, err := Compile(fields, "/"+expression+"/")
		if err != nil {
			t.Skip("no expression")
		}
		name := names.Draw(t, "name")
		if want := regexp.MustCompile(regexFlags + expression).MatchString(name + "\n"); filter.Match(name) != want {
			t.Fatalf("/%s/ on %q: %t", expression, name, !want)
		}
	})
}

func TestAFilterThatNobodyWaitsForEnds(t *testing.T) {
	b := fill(200, 10)
	s := b.Build(1, model.Status{}, nil)
	filter, err := Compile(PodFields(modeltest.Epoch, s), "app")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filter.Apply(ctx, s.Pods, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestARowThatIsNotExplainedYetIsLeftOpen(t *testing.T) {
	s := fleet()
	var rows []PendingRow
	for _, kind := range s.Pending {
		rows = append(rows, PendingRow{Kind: kind, State: "no node fits", Why: "std-b-02: cpu 350m short"})
	}
	rows[0].State, rows[0].Why = "", ""
	names := func(rows []PendingRow) string {
		var all []string
		for _, row := range rows {
			all = append(all, row.Kind.Name())
		}
		return strings.Join(all, " ")
	}
	all := names(rows)
	for _, c := range []struct{ says, filter, kept, open, decided string }{
		{"a comparison", "state=gated", "", names(rows[:1]), all},
		{"turned round", "!state=gated", names(rows[1:]), names(rows[:1]), all},
		{"an expression that finds nothing in what is known", "/350m/", names(rows[1:]), names(rows[:1]), all},
		{"turned round", "!/350m/", "", names(rows[:1]), all},
		{"one that finds something", "/train/", names(rows[:1]), "", all},
		{"which stays so, turned round", "!/train/", names(rows[1:]), "", all},
		{"a text", `"350m"`, names(rows[1:]), names(rows[:1]), all},
		{"only rows that nothing else keeps out", "why~350m prio=0", names(rows[1:]), "", names(rows[1:])},
		{"a term that needs none", "train", names(rows[:1]), "", ""},
	} {
		filter, err := Compile(PendingFields(modeltest.Epoch), c.filter)
		if err != nil {
			t.Fatal(err)
		}
		got, err := filter.Apply(t.Context(), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		if names(got.Rows) != c.kept || names(got.Open) != c.open || names(got.Decided) != c.decided || got.Note() != "" && len(got.Rows) > 0 {
			t.Errorf("%s: %s keeps %q, leaves %q open, %q are decided by it; note %q", c.says, c.filter, names(got.Rows), names(got.Open), names(got.Decided), got.Note())
		}
	}
}
