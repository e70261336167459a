package main

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	renderer "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// page is a page of the site.
type page struct {
	source string   // its path in the repository, with slashes
	title  string   // its first heading
	body   string   // in HTML
	links  []string // the paths in the repository that it links to, or shows
}

// name is the path of the page in the site.
func (p *page) name() string { return htmlName(p.source) }

// htmlName is the path of a page in the site, of its path in the repository.
func htmlName(source string) string {
	if source == home {
		return "index.html"
	}
	return strings.TrimSuffix(source, ".md") + ".html"
}

// markdown reads Markdown as GitHub does, with its HTML: the pages are the repository's own.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithUnsafe()),
)

// anchors give headings the names that GitHub gives them.
type anchors map[string]int

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// Generate implements parser.IDs.
func (a anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	name := strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(string(heading)), ""), " ", "-")
	n := a[name]
	a[name]++
	if n > 0 {
		name += "-" + strconv.Itoa(n)
	}
	return []byte(name)
}

// Put implements parser.IDs.
func (a anchors) Put(name []byte) { a[string(name)]++ }

// newPage makes a page of Markdown. Its links lead to pages of the site.
func newPage(root, source string, text []byte) (*page, error) {
	var drawn bytes.Buffer
	if err := markdown.Convert(text, &drawn, parser.WithContext(parser.NewContext(parser.WithIDs(anchors{})))); err != nil {
		return nil, err
	}
	nodes, err := html.ParseFragment(&drawn, &html.Node{Type: html.ElementNode, DataAtom: atom.Main, Data: "main"})
	if err != nil {
		return nil, err
	}
	p := &page{source: source}
	var body strings.Builder
	for _, top := range nodes {
		for node := range all(top) {
			if p.title == "" && node.DataAtom == atom.H1 {
				p.title = textOf(node)
			}
			p.lead(root, node)
		}
		if err := html.Render(&body, top); err != nil {
			return nil, err
		}
	}
	if p.title == "" {
		return nil, errors.New("it has no heading")
	}
	p.body = body.String()
	return p, nil
}

// all yields a node and all nodes in it.
func all(top *html.Node) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		if !yield(top) {
			return
		}
		for node := range top.Descendants() {
			if !yield(node) {
				return
			}
		}
	}
}

// textOf is the text in a node.
func textOf(node *html.Node) string {
	var text strings.Builder
	for inner := range node.Descendants() {
		if inner.Type == html.TextNode {
			text.WriteString(inner.Data)
		}
	}
	return text.String()
}

// isLink reports whether an attribute names something that the reader's browser gets.
func isLink(attribute string) bool {
	return attribute == "href" || attribute == "src" || attribute == "srcset"
}

// lead lets the links of a node lead to pages and lists of the site, and notes what they
// name in the repository.
func (p *page) lead(root string, node *html.Node) {
	for i, attribute := range node.Attr {
		to, err := url.Parse(attribute.Val)
		if !isLink(attribute.Key) || err != nil || to.IsAbs() || to.Path == "" {
			continue
		}
		target := path.Join(path.Dir(p.source), to.Path)
		if !filepath.IsLocal(filepath.FromSlash(target)) {
			continue // outside of the repository: check says so
		}
		p.links = append(p.links, target)
		switch is, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); {
		case err != nil:
			continue
		case is.IsDir():
			to.Path = path.Join(to.Path, "index.html")
		case target == home:
			to.Path = path.Join(path.Dir(to.Path), htmlName(home))
		case isPage(target):
			to.Path = htmlName(to.Path)
		}
		node.Attr[i].Val = to.String()
	}
}
