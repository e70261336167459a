package docs_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// phrases are expressions that no text of ours uses, each with what to write in its
// place. They are in lower case, and matched in what a
// user reads without regard to case.
var phrases = []struct{ phrase, instead string }{
	// Reasons.
	{`stands? in the way`, "reason; rejects"},
	{`\brefus(e|es|ing)\b`, "reject"},
	{`\b(keep|keeps|kept|keeping) (it |them |the pod |pods )?(off|away|out of)\b`, "reject, filter out"},
	{`\bhas (something |nothing )?against\b`, "rejects"},
	{`\b(minds|grudge)\b`, "rejects"},
	{`\bthis plugin alone\b|\bby \w+ alone\b|\balone (refuses|rejects)\b`, "only this plugin"},
	{`\bnearest\b`, "closest"},
	{`\bfits? no node\b`, "unschedulable; no node fits"},
	{`\b\d[\d.]*(m|mi|gi)? short\b|\bshort by\b`, "needs 350m more"},
	{`\b(no|more|most|much|enough|little|less|the|same|its|makes?|has|have|finds?|takes?) room\b`, "free capacity, free cpu"},
	{`\bcannot help\b`, "won't help"},
	// Pods.
	{`\bpods? (that )?waits?\b`, "pending pods"},
	{`\bwho waits\b|\bwhat waits\b`, "pending pods"},
	{`\bpods? (that )?ends?\b|\bthat end\b|\bending pods\b`, "is evicted, is deleted, terminates"},
	{`\bwould (end|lose)\b \d`, "evicts, deletes"},
	{`\bis lost\b.*\bcontroller\b|\blost: no controller\b`, "not recreated: no controller"},
	{`\blands? (on|elsewhere)\b|\b(would|will) land\b`, "is rescheduled on"},
	{`\bcomes? back\b`, "is recreated; recovers"},
	{`\balike\b|\bof (one|the same) kind wait`, "replicas of; workload"},
	{`\bheirs?\b|\bcomers?\b|\bhearsay\b`, "replacements, pods to place"},
	// Scheduler and API server.
	{`\bsays? (the same|otherwise)\b`, "agrees with kube-scheduler"},
	{`\b(its|scheduler's|apiserver's|server's) words\b|\bword for word\b`, "message"},
	{`\b(holds|renews) no lease\b`, "is not running: no Lease"},
	{`\b(is|are|was|were) told($|[^ ]| [^a])|\btells? of\b`, "show, report"},
	{`\btried on a copy\b|\ba copy of the (cluster|state)\b`, "simulated"},
	{`\bscheduler's way\b`, "scheduling cycle"},
	{`\bno steps?\b.*\bfrom the first on\b|\bnone of the steps\b`, "at no step"},
	// Changes.
	{`\bwhat was done\b`, "activity"},
	{`\bwhat becomes of\b`, "what happens to"},
	{`\b(least|more|most|the) harm\b`, "least disruptive; disruption"},
	{`\bdry runs alone\b`, "only dry-run requests"},
	{`\blet no new\b`, "mark as unschedulable"},
	{`\besc:? nothing\b`, "esc cancel"},
	{`\bnumber of pods that\b.*\bend\b`, "pods to evict"},
	{`\basks no (pdb|poddisruptionbudget)\b`, "ignores PodDisruptionBudgets"},
	{`\brests? on\b`, "needs; depends on"},
	{`\bsay before\b`, "preview"},
	// Lists and input.
	{`\b(it|this|that|which|page) is no (list|object|place|number|node|pod)\b`, "is not a ...; not available here"},
	{`\b(is|are) gone\b`, "was deleted; is no longer shown here"},
	{`\bno answer: |\bthere is no answer\b`, "not available"},
	{`\bnobody was asked\b|\bnothing is known to try\b`, "say what was not done, and why"},
	{`\bdue for eviction \d`, "should have been evicted"},
	{`\bnothing is named so\b|\bnamed so\b`, "no match"},
	// English of another century.
	{`\banew\b`, "again"},
	{`\bfor want of\b`, "because there is no; for lack of"},
	{`\bwho(so)?ever\b|\bwhom\b`, "whichever pod; which"},
	{`\bthereof\b|\bwhereof\b|\bhitherto\b|\bwherein\b`, "plain words"},
	{`\bas it stands\b|\bstands? (beside|below|above)\b`, "is"},
	{`\bto be had\b|\bis had\b`, "available"},
}

// TestTextsAreInPlainWords reads what a user reads: string literals of the program,
// golden screens, lessons and pages. Names of JSON fields, which stay, do not count.
func TestTextsAreInPlainWords(t *testing.T) {
	for _, text := range texts(t) {
		for _, p := range found(text.words) {
			t.Errorf("%s: %q in %q: write %s", text.place, p.phrase, shortened(text.words), p.instead)
		}
	}
}

// TestPhrasesAreFound holds the list to what it is for.
func TestPhrasesAreFound(t *testing.T) {
	for _, bad := range []string{
		"WHAT STANDS IN THE WAY", "nearest first", "14 pods wait", "11 fit no node", "std-b-02: cpu 350m short", "tried on a copy of the cluster",
		"kube-scheduler says the same", "(W its words)", "8 land elsewhere", "6 nodes refuse it", "std-a-01 is gone.", "No answer: forbidden", "9 due for eviction 4m ago", "Write what explanations rest on to a file",
	} {
		if len(found(bad)) == 0 {
			t.Errorf("%q is not found", bad)
		}
	}
	for _, good := range []string{
		"14 pending: 11 unschedulable, 1 gated", "std-b-02 needs cpu 350m more", "connection refused", "agrees with kube-scheduler, 12s ago (W message)",
		"for a short time", "Only dry-run requests are sent", "waiting for the volume", "the pod is evicted at the end", "they are told apart by name",
	} {
		for _, p := range found(good) {
			t.Errorf("%q: found %q", good, p.phrase)
		}
	}
}

// patterns are the phrases; anyPhrase is one that matches where any of them does.
var patterns, anyPhrase = func() (each []*regexp.Regexp, whole *regexp.Regexp) {
	all := make([]string, len(phrases))
	for i, p := range phrases {
		all[i] = "(?:" + p.phrase + ")"
		each = append(each, regexp.MustCompile(p.phrase))
	}
	return each, regexp.MustCompile(strings.Join(all, "|"))
}()

// hit is a phrase that a text has.
type hit struct{ phrase, instead string }

// found are the phrases that a text has.
func found(words string) (hits []hit) {
	words = strings.ToLower(words)
	if !anyPhrase.MatchString(words) {
		return nil
	}
	for i, pattern := range patterns {
		if phrase := pattern.FindString(words); phrase != "" {
			hits = append(hits, hit{phrase, phrases[i].instead})
		}
	}
	return hits
}

// text is something that a user reads.
type text struct {
	place string // file:line
	words string
}

// texts gives all of them, each once: golden screens have many lines in common.
func texts(t *testing.T) []text {
	t.Helper()
	var all []text
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		switch name := entry.Name(); {
		case entry.IsDir() && rel != ".." && (strings.HasPrefix(name, ".") || rel == "e2e"):
			return filepath.SkipDir
		case entry.IsDir():
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			return literals(path, rel, &all)
		case strings.HasSuffix(name, ".golden"), strings.HasSuffix(name, ".md") && name != "CHANGELOG.md",
			strings.HasPrefix(rel, "demo/lessons/") && strings.HasSuffix(name, ".yaml"):
			return lines(path, rel, &all)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 1000 {
		t.Fatalf("only %d texts were found", len(all))
	}
	once := map[string]bool{}
	return slices.DeleteFunc(all, func(text text) bool {
		defer func() { once[text.words] = true }()
		return once[text.words]
	})
}

// literals adds the string literals of a Go file that have more than one word.
func literals(path, rel string, to *[]text) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file := files.AddFile(rel, files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	for {
		at, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return nil
		case token.STRING:
			words, err := strconv.Unquote(literal)
			if err != nil {
				return fmt.Errorf("%s: %w", rel, err)
			}
			line := files.Position(at).Line
			for part := range strings.SplitSeq(words, "\n") {
				if strings.Contains(strings.TrimSpace(part), " ") {
					*to = append(*to, text{fmt.Sprintf("%s:%d", rel, line), part})
				}
				if literal[0] == '`' {
					line++
				}
			}
		}
	}
}

// code is a piece of code in a page, such as the name of a JSON field.
var code = regexp.MustCompile("`[^`]*`")

// lines adds the lines of a file; of a page without its pieces of code.
func lines(path, rel string, to *[]text) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		if strings.HasSuffix(rel, ".md") {
			line = code.ReplaceAllString(line, "")
		}
		*to = append(*to, text{fmt.Sprintf("%s:%d", rel, number), line})
	}
	return nil
}

// shortened is a text that fits a line.
func shortened(words string) string {
	words = strings.Join(strings.Fields(words), " ")
	if runes := []rune(words); len(runes) > 100 {
		return string(runes[:99]) + "…"
	}
	return words
}
