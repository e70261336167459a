package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
)

func TestEachColumnHasALetterOfItsOwn(t *testing.T) {
	p := pods.New(&New(Options{Context: "prod-eu"}).host)
	var letters []string
	for i, c := range p.Table.Columns {
		if c.Field == "" {
			continue
		}
		at := p.Table.Columns.Letter(i)
		if at < 0 {
			t.Errorf("%s cannot be sorted by", c.Head)
			continue
		}
		letter := strings.ToLower(c.Head[at : at+1])
		if slices.Contains(letters, letter) {
			t.Errorf("%s is the letter of two columns", letter)
		}
		if got := p.Table.Columns.ByLetter(letter); got != i {
			t.Errorf("%s sorts by column %d, want %d", letter, got, i)
		}
		letters = append(letters, letter)
	}
}
