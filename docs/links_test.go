package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	image   = regexp.MustCompile(`src(?:set)?="([^"]+)"`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	block   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	noID    = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	// file is a path of the repository, as running text names it.
	file = regexp.MustCompile("`((?:cli|demo|docs|e2e|explain|kube|model|themes|ui)/[a-z0-9_./*-]+)`")
)

// makeTarget is a target of the Makefile, in running text or at the start of a line.
var makeTarget = regexp.MustCompile("(?m)(?:`|^)make ([a-z0-9-]+)")

// pages are the Markdown files of the repository.
func pages(t *testing.T) (found []string) {
	t.Helper()
	for _, pattern := range []string{"../*.md", "*.md", "guide/*.md"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, some...)
	}
	return found
}

// read gives a file's text.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// anchors are the names that links give the headings of a page.
func anchors(t *testing.T, page string) (names []string) {
	t.Helper()
	for _, found := range heading.FindAllStringSubmatch(block.ReplaceAllString(read(t, page), ""), -1) {
		names = append(names, strings.ReplaceAll(noID.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-"))
	}
	return names
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		text := read(t, page)
		for _, found := range append(link.FindAllStringSubmatch(text, -1), image.FindAllStringSubmatch(text, -1)...) {
			to, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			target := page
			if to != "" {
				target = filepath.Join(filepath.Dir(page), to)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: link to %s: there is no such file", page, found[1])
			} else if anchor != "" && !slices.Contains(anchors(t, target), anchor) {
				t.Errorf("%s: link to %s: the page has no such heading", page, found[1])
			}
		}
	}
}

func TestFilesThatThePagesNameExist(t *testing.T) {
	for _, page := range pages(t) {
		if filepath.Base(page) == "CHANGELOG.md" { // names what was
			continue
		}
		for _, found := range file.FindAllStringSubmatch(read(t, page), -1) {
			matches, err := filepath.Glob(filepath.Join("..", found[1]))
			if err != nil || len(matches) == 0 {
				t.Errorf("%s: %s does not exist", page, found[1])
			}
		}
	}
}

func TestMakeTargetsThatThePagesNameExist(t *testing.T) {
	makefile := read(t, "../Makefile")
	for _, page := range pages(t) {
		for _, found := range makeTarget.FindAllStringSubmatch(read(t, page), -1) {
			if !regexp.MustCompile(`(?m)^` + found[1] + `:`).MatchString(makefile) {
				t.Errorf("%s: make %s: the Makefile has no such target", page, found[1])
			}
		}
	}
}

// TestPagesAreShort holds each page of the guide to a length that can be read at once.
func TestPagesAreShort(t *testing.T) {
	const mostWords, mostLines = 2000, 80
	guide, err := filepath.Glob("guide/*.md")
	if err != nil || len(guide) == 0 {
		t.Fatalf("%v, %v", guide, err)
	}
	for _, page := range guide {
		if n := len(strings.Fields(read(t, page))); n >= mostWords {
			t.Errorf("%s has %d words; %d are too many", page, n, mostWords)
		}
	}
	if n := strings.Count(read(t, "../README.md"), "\n"); n >= mostLines {
		t.Errorf("the README has %d lines; %d are too many", n, mostLines)
	}
}
