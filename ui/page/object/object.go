// Package object is the page of one object's text: its description or its YAML.
package object

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Page is the page. It fetches the text once, when it is shown.
type Page struct {
	page.Text
	path     []string
	sentence string
	fetch    func(context.Context) (string, error)
	loaded   bool
	at       time.Time // when it was loaded
	asks     page.Question[string]
}

// New makes the page: its crumbs, its answer, and what fetches its text.
func New(h page.Host, path []string, sentence string, fetch func(context.Context) (string, error)) *Page {
	return &Page{Text: page.Text{Base: page.Base{Host: h}}, path: path, sentence: sentence, fetch: fetch}
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string { return p.path }

// Answer implements page.View.
func (p *Page) Answer(int) string {
	switch {
	case !p.loaded:
		return "Waiting for kube-apiserver; esc cancels."
	case p.Content.Failed:
		return "No answer from kube-apiserver."
	}
	if o := p.Host.Observed(); !o.IsSnapshot() && o.At.Sub(p.at) >= old {
		return p.sentence + " Read " + o.Since(p.at) + " ago."
	}
	return p.sentence
}

// old is the age from which a text is said to have been read a while ago: ages in it stand still.
const old = 10 * time.Second

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		return p.load()
	case page.Answer[string]:
		p.onLoaded(msg)
		return nil
	}
	return p.Text.Update(msg)
}

// load fetches the text, once.
func (p *Page) load() tea.Cmd {
	if p.loaded || p.asks.Busy() {
		return nil
	}
	return p.asks.Put(p.Host, p, p.fetch)
}

func (p *Page) onLoaded(msg page.Answer[string]) {
	if !p.asks.Takes(msg) {
		return
	}
	p.loaded, p.at, p.Content.Failed = true, p.Host.Observed().At, msg.Err != nil
	if msg.Err != nil {
		msg.Value = msg.Err.Error()
	}
	p.Content.SetText(msg.Value)
}

// Again makes the page fetch its text again: it is of another step of a recording.
func (p *Page) Again() { p.loaded = false }

// Leave stops fetching; the page fetches again when it is shown again.
func (p *Page) Leave() { p.asks.End() }
