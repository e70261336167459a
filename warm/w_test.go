package warm

import (
	_ "github.com/charmbracelet/x/exp/golden"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "pgregory.net/rapid"
)
