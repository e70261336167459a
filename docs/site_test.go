package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// buildSite draws the site of a repository's root, and gives the directory that it is in,
// and what Hugo says where it fails.
func buildSite(t *testing.T, root string) (out, failure string) {
	t.Helper()
	hugo, err := exec.LookPath("hugo")
	if err != nil {
		t.Skip("hugo is not installed: apt-get install hugo, or brew install hugo")
	}
	out = t.TempDir()
	command := exec.Command(hugo, "--noBuildLock", "--config", "docs/site/hugo.yaml", "--destination", out)
	command.Dir = root
	said, err := command.CombinedOutput()
	if err != nil {
		return out, string(said)
	}
	return out, ""
}

// repository copies what the site is made of, with one page changed.
func repository(t *testing.T, page, text string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "docs"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile"} {
		if err := os.WriteFile(filepath.Join(root, file), []byte(read(t, filepath.Join("..", file))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, page), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestTheSiteHasEveryPageAndWhatItLinksTo(t *testing.T) {
	out, failure := buildSite(t, "..")
	if failure != "" {
		t.Fatal(failure)
	}
	for page, wants := range map[string][]string{
		"index.html": {
			`<title>fathom</title>`, `href="./docs/user-guide.html"`, `src="docs/screenshots/tour-dark.svg"`,
		},
		"docs/guide/pending.html": {
			`<table>`, `<pre`, `href="../../index.html"`, `<a href="../../docs/guide/pending.html" aria-current="page">My pod is pending</a>`,
		},
		"docs/guide/json.html":           {`href="../../docs/schema/v1beta1/index.html"`},
		"docs/schema/v1beta1/index.html": {`<a href="Explanation.json">Explanation.json</a>`},
		"docs/schema/v1beta1/Plan.json":  {`"$schema"`},
		"docs/screenshots/tour-dark.svg": {"<svg"},
		"docs/site/style.css":            {"color-scheme"},
		"LICENSE":                        {"Apache License"},
	} {
		text := read(t, filepath.Join(out, page))
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not have %s", page, want)
			}
		}
	}
	for _, page := range pages(t) {
		name := filepath.Join("docs", strings.TrimSuffix(page, ".md")+".html") // "docs/../X" is "X"
		if page == "../README.md" {
			name = "index.html"
		}
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Errorf("page %s is not in the site: %v", page, err)
		}
	}
}

func TestTheSiteIsRefusedWithLinksThatLeadNowhere(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a page":                    {"[a](docs/none.md)", "README.md: link to docs/none.md: there is no such file"},
		"a heading":                 {"[a](#none)", "README.md: link to #none: README.md has no such heading"},
		"a heading of a page":       {"[a](docs/keys.md#none)", "README.md: link to #none: docs/keys.md has no such heading"},
		"a heading of a file":       {"[a](Makefile#none)", "README.md: link to #none: /Makefile has no headings"},
		"a picture":                 {"![a](none.png)", "README.md: link to none.png: there is no such file"},
		"a picture in HTML":         {`<img src="none.png">`, "README.md: link to none.png: there is no such file"},
		"a picture of another host": {`<img src="https://example.com/a.png">`, "README.md: picture https://example.com/a.png: it is on another host"},
		"a file above":              {"[a](../../etc/passwd)", "README.md: link to ../../etc/passwd: there is no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, failure := buildSite(t, repository(t, "README.md", "# fathom\n\n"+test.text+"\n"))
			if !strings.Contains(failure, test.want) {
				t.Errorf("Hugo said %q, want %s", failure, test.want)
			}
		})
	}
	t.Run("another host", func(t *testing.T) {
		if _, failure := buildSite(t, repository(t, "README.md", "# fathom\n\n[a](https://example.com/none#no)\n")); failure != "" {
			t.Error(failure)
		}
	})
	t.Run("a page that the menu lacks", func(t *testing.T) {
		_, failure := buildSite(t, repository(t, "docs/guide/new.md", "# New\n"))
		if want := "docs/site/hugo.yaml: menu: docs/guide/new.md is missing"; !strings.Contains(failure, want) {
			t.Errorf("Hugo said %q, want %s", failure, want)
		}
	})
	t.Run("a page without a heading", func(t *testing.T) {
		_, failure := buildSite(t, repository(t, "docs/keys.md", "keys\n"))
		if want := "docs/keys.md: it has no heading"; !strings.Contains(failure, want) {
			t.Errorf("Hugo said %q, want %s", failure, want)
		}
	})
}
