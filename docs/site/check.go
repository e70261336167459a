package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"
)

// written is a page as it was written.
type written struct {
	names map[string]bool // that links can lead to
	links []string
}

// check reads the site again. The error names each link to a file or a heading that the site
// does not have, and each file that another host would have to give a page.
func check(out string) error {
	pages := map[string]*written{}
	files := map[string]bool{}
	err := filepath.WalkDir(out, func(file string, is fs.DirEntry, err error) error {
		if err != nil || is.IsDir() {
			return err
		}
		name, err := filepath.Rel(out, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		files[name] = true
		if path.Ext(name) != ".html" {
			return nil
		}
		pages[name], err = readWritten(file)
		return err
	})
	if err != nil {
		return err
	}
	var wrong []error
	for name, page := range pages {
		for _, link := range page.links {
			if err := follow(name, link, files, pages); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: link to %s: %w", name, link, err))
			}
		}
	}
	return errors.Join(wrong...)
}

// readWritten reads the names and links of a page. An asset of another host has its
// element before it: "<img> https://…".
func readWritten(file string) (*written, error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer text.Close() //nolint:errcheck // it was only read
	root, err := html.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	w := &written{names: map[string]bool{}}
	for node := range root.Descendants() {
		for _, attribute := range node.Attr {
			switch {
			case attribute.Key == "id":
				w.names[attribute.Val] = true
			case isLink(attribute.Key) && node.Data != "a" && strings.Contains(attribute.Val, "//"):
				w.links = append(w.links, "<"+node.Data+"> "+attribute.Val)
			case isLink(attribute.Key):
				w.links = append(w.links, attribute.Val)
			}
		}
	}
	return w, nil
}

// follow says why a link of a page leads nowhere; nil where it leads somewhere, or to
// another host.
func follow(from, link string, files map[string]bool, pages map[string]*written) error {
	if strings.HasPrefix(link, "<") {
		return errors.New("it is on another host")
	}
	to, err := url.Parse(link)
	if err != nil {
		return err
	}
	if to.IsAbs() {
		return nil
	}
	target := from
	if to.Path != "" {
		target = path.Join(path.Dir(from), to.Path)
	}
	switch {
	case !files[target]:
		return errors.New("there is no such file")
	case to.Fragment != "" && (pages[target] == nil || !pages[target].names[to.Fragment]):
		return errors.New("the page has no such heading")
	}
	return nil
}
