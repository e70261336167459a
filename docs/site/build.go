package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

var (
	//go:embed layout.html
	layoutText string
	//go:embed style.css
	style []byte

	layout = template.Must(template.New("layout").Parse(layoutText))
)

const (
	// home is the page that the site opens with.
	home = "README.md"
	// guide is the page whose links are the first ones of the menu.
	guide = "docs/user-guide.md"
)

// sources are the patterns of the pages.
var sources = []string{"*.md", "docs/*.md", "docs/guide/*.md"}

// isPage reports whether a path in the repository is a page. Other Markdown is copied as
// it is.
func isPage(source string) bool {
	return slices.ContainsFunc(sources, func(pattern string) bool {
		matches, err := path.Match(pattern, source)
		return err == nil && matches
	})
}

// build writes the site, with what its pages link to, and checks its links. It gives the
// number of pages. The error names every link that leads nowhere.
func build(root, out string) (int, error) {
	pages, err := read(root)
	if err != nil {
		return 0, err
	}
	if err := os.RemoveAll(out); err != nil {
		return 0, err
	}
	menu := menuOf(pages)
	for _, p := range pages {
		drawn, err := draw(p, menu)
		if err != nil {
			return 0, fmt.Errorf("draw %s: %w", p.source, err)
		}
		if err := write(out, p.name(), drawn); err != nil {
			return 0, err
		}
	}
	if err := write(out, "style.css", style); err != nil {
		return 0, err
	}
	if err := copyLinked(root, out, pages); err != nil {
		return 0, err
	}
	return len(pages), check(out)
}

// read reads all pages, sorted by their paths.
func read(root string) ([]*page, error) {
	var pages []*page
	for _, pattern := range sources {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			source, err := filepath.Rel(root, file)
			if err != nil {
				return nil, err
			}
			p, err := newPage(root, filepath.ToSlash(source), text)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", source, err)
			}
			pages = append(pages, p)
		}
	}
	if !slices.ContainsFunc(pages, func(p *page) bool { return p.source == home }) {
		return nil, errors.New("read " + home + ": there is no such page in " + root)
	}
	return pages, nil
}

// entry is a line of the menu.
type entry struct {
	Title, To string
	Here      bool
}

// menuOf are all pages: home, those of the guide in its order, those that home names, the
// others.
func menuOf(pages []*page) []*page {
	bySource := map[string]*page{}
	for _, p := range pages {
		bySource[p.source] = p
	}
	var menu []*page
	add := func(source string) {
		if p := bySource[source]; p != nil && !slices.Contains(menu, p) {
			menu = append(menu, p)
		}
	}
	add(home)
	add(guide)
	for _, from := range []string{guide, home} {
		if p := bySource[from]; p != nil {
			for _, to := range p.links {
				add(to)
			}
		}
	}
	for _, p := range pages {
		add(p.source)
	}
	return menu
}

// draw puts a page into the layout.
func draw(p *page, menu []*page) ([]byte, error) {
	up := strings.Repeat("../", strings.Count(p.name(), "/"))
	var entries []entry
	for _, other := range menu {
		entries = append(entries, entry{other.title, up + other.name(), other == p})
	}
	var drawn bytes.Buffer
	err := layout.Execute(&drawn, struct {
		Title, Up string
		Menu      []entry
		Body      template.HTML
	}{p.title, up, entries, template.HTML(p.body)}) //nolint:gosec // the repository's own text
	return drawn.Bytes(), err
}

// write writes a file of the site.
func write(out, name string, text []byte) error {
	to := filepath.Join(out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// copyLinked copies the files of the repository that pages link to. Of a directory it
// copies the files, and writes a list of them.
func copyLinked(root, out string, pages []*page) error {
	for _, p := range pages {
		for _, to := range p.links {
			from := filepath.Join(root, filepath.FromSlash(to))
			is, err := os.Stat(from)
			switch {
			case err != nil, isPage(to):
				continue // a page, or nothing: check says so
			case is.IsDir():
				err = copyDirectory(from, out, to)
			default:
				err = copyFile(from, out, to)
			}
			if err != nil {
				return fmt.Errorf("copy %s, to which %s links: %w", to, p.source, err)
			}
		}
	}
	return nil
}

func copyFile(from, out, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return write(out, to, text)
}

func copyDirectory(from, out, to string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	list := &page{source: path.Join(to, "index.md"), title: path.Base(to)}
	var body strings.Builder
	body.WriteString("<h1>" + template.HTMLEscapeString(list.title) + "</h1>\n<ul>\n")
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		name := template.HTMLEscapeString(file.Name())
		body.WriteString(`<li><a href="` + name + `">` + name + "</a></li>\n")
		if err := copyFile(filepath.Join(from, file.Name()), out, path.Join(to, file.Name())); err != nil {
			return err
		}
	}
	body.WriteString("</ul>\n")
	list.body = body.String()
	drawn, err := draw(list, nil)
	if err != nil {
		return err
	}
	return write(out, list.name(), drawn)
}
