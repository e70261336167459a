package page

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// Base is what most pages have in common. A page embeds it and overrides the rest.
type Base struct {
	Host          Host
	Width, Height int      // of the body
	Path          []string // what Crumbs gives
	Keys          []Key    // what Footer gives
}

// Crumbs implements View.
func (b *Base) Crumbs() []string { return b.Path }

// Footer implements View.
func (b *Base) Footer() []Key { return slices.Clone(b.Keys) } // the frame deletes from it

// Resize implements View.
func (b *Base) Resize(width, height int) { b.Width, b.Height = width, height }

// Selected implements View: nothing.
func (b *Base) Selected() Selection { return Selection{} }

// Off implements View: every action is available.
func (b *Base) Off(keymap.Action) string { return "" }
