package cells

import "testing"

func TestATextThatIsCutEndsInOneEllipsis(t *testing.T) {
	for text, want := range map[string]string{
		"claim ledg…data is in use":   "claim ledg…",
		"claim ledger-data is in use": "claim ledge…",
		"claim led…":                  "claim led…",
	} {
		if got := Cut(text, 12); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestClausesOfASharedBeginningKeepTheLast(t *testing.T) {
	const webhook = `failed calling webhook "pods.image-policy.corp.example": failed to call webhook: no endpoints available for service "x"`
	const scheduler = `"packer" is not running: deployment/packer is scaled to 0; to start it: kubectl scale deployment/packer`
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{webhook, 24, `…no endpoints available for service "x"`},
		{webhook, 48, `failed c… no endpoints available for service "x"`},
		{webhook, 56, webhook},
		{webhook, 200, webhook},
		{scheduler, 26, scheduler},
		{"needs cpu 350m more", 8, "needs cpu 350m more"},
	} {
		if got := CutClauses(c.text, c.width); got != c.want {
			t.Errorf("in %d cells: %q, want %q", c.width, got, c.want)
		}
	}
}
