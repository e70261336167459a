package list

// Around is what stands around the table of a list: a row over it, and a preview of the
// selected row under it. Each keeps its place while its text is not known yet.
type Around struct {
	Above func() string            // the row over the table, such as gauges; nil is none
	Below func(lines int) []string // the preview, at most so many lines; nil is none
	over  int                      // rows over the table
	under int                      // rows under it
}

const (
	// leastOver is the height of a page from which there is a row over the table.
	leastOver = 12
	// leastUnder is the height from which there is a preview: so many rows remain for the
	// table that a dozen rows of the list are shown.
	leastUnder = 20
	// underRows are those of a preview with its rule; from halfFrom on it has the lower half.
	underRows = 6
	halfFrom  = 36
)

// fit shares the height of a page, and gives what the table gets.
func (a *Around) fit(height int, large bool) int {
	a.over, a.under = 0, 0
	if large {
		return height
	}
	if a.Above != nil && height >= leastOver {
		a.over = 1
	}
	switch {
	case a.Below == nil || height < leastUnder:
	case height < halfFrom:
		a.under = underRows
	default:
		a.under = height / 2
	}
	return height - a.over - a.under
}

// Join puts what stands around them to the rows of a table that has a height.
func (a *Around) Join(rows []string, height int) []string {
	if a.over+a.under == 0 {
		return rows
	}
	joined := make([]string, 0, a.over+height+a.under)
	if a.over > 0 {
		joined = append(joined, a.Above())
	}
	joined = append(joined, rows...)
	if a.under == 0 {
		return joined
	}
	for len(joined) < a.over+height {
		joined = append(joined, "")
	}
	return append(joined, a.Below(a.under)...)
}
