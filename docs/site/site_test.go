package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// site builds the site of some files, and gives the directory that it is in.
func site(t *testing.T, files map[string]string) (string, error) {
	t.Helper()
	root, out := t.TempDir(), t.TempDir()
	for name, text := range files {
		if err := write(root, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := build(root, out)
	return out, err
}

// pageOf reads a file of a site.
func pageOf(t *testing.T, out, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLinksOfPagesLeadToPages(t *testing.T) {
	out, err := site(t, map[string]string{
		"README.md":           "# fathom\n[guide](docs/user-guide.md) [license](LICENSE)\n<picture><source srcset=\"docs/light.svg\"><img src=\"docs/dark.svg\"></picture>\n",
		"LICENSE":             "text\n",
		"docs/light.svg":      "<svg/>",
		"docs/dark.svg":       "<svg/>",
		"docs/user-guide.md":  "# Guide\n[pods](guide/pods.md#why-is-it-pending) [home](../README.md)\n",
		"docs/guide/pods.md":  "# Pods\n## Why is `it` pending?\n[schema](../schema) [above](#why-is-it-pending) [raw](../raw/a.md)\n",
		"docs/schema/pod.txt": "pod\n",
		"docs/raw/a.md":       "# Raw\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"index.html":             `<a href="docs/user-guide.html">guide</a> <a href="LICENSE">license</a>`,
		"docs/user-guide.html":   `<a href="guide/pods.html#why-is-it-pending">pods</a> <a href="../index.html">home</a>`,
		"docs/guide/pods.html":   `<a href="../schema/index.html">schema</a>`,
		"docs/schema/index.html": `<a href="pod.txt">pod.txt</a>`,
		"docs/schema/pod.txt":    "pod",
		"docs/raw/a.md":          "# Raw",
		"docs/light.svg":         "<svg/>",
	} {
		if got := pageOf(t, out, name); !strings.Contains(got, want) {
			t.Errorf("%s does not have %s:\n%s", name, want, got)
		}
	}
	if home := pageOf(t, out, "index.html"); strings.Index(home, ">Guide<") > strings.Index(home, ">Pods<") {
		t.Errorf("the menu is not in the order of the guide:\n%s", home)
	}
}

func TestLinksThatLeadNowhereAreNamed(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a page":                    {"[a](docs/none.md)", "index.html: link to docs/none.md: there is no such file"},
		"a heading":                 {"[a](#none)", "index.html: link to #none: the page has no such heading"},
		"a heading of a page":       {"[a](other.md#none)", "index.html: link to other.html#none: the page has no such heading"},
		"a picture":                 {"![a](none.png)", "index.html: link to none.png: there is no such file"},
		"a picture in HTML":         {`<img src="none.png">`, "index.html: link to none.png: there is no such file"},
		"a picture of another host": {"![a](https://example.com/a.png)", "https://example.com/a.png: it is on another host"},
		"a file above":              {"[a](../../etc/none)", "there is no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := site(t, map[string]string{"README.md": "# fathom\n" + test.text + "\n", "other.md": "# Other\n"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
	if _, err := site(t, map[string]string{"README.md": "# fathom\n[a](https://example.com/none)\n"}); err != nil {
		t.Errorf("a link to another host: %v", err)
	}
}

func TestHeadingsOfOneNameHaveDifferentAnchors(t *testing.T) {
	if _, err := site(t, map[string]string{"README.md": "# fathom\n## Fixed\n## Fixed\n[a](#fixed) [b](#fixed-1)\n"}); err != nil {
		t.Error(err)
	}
}

func TestTheSiteOfTheRepository(t *testing.T) {
	out := t.TempDir()
	pages, err := build("../..", out)
	if err != nil {
		t.Fatal(err)
	}
	if home := pageOf(t, out, "index.html"); strings.Count(home, "<li><a href=") < pages {
		t.Errorf("the menu does not have all %d pages:\n%s", pages, home)
	}
	if pending := pageOf(t, out, "docs/guide/pending.html"); !strings.Contains(pending, "<table>") || !strings.Contains(pending, "<pre><code") {
		t.Errorf("tables or commands are not drawn:\n%s", pending)
	}
}
