package plan

import "testing"

func TestAVerdictSays(t *testing.T) {
	for name, test := range map[string]struct {
		verdict Verdict
		want    string
	}{
		"that all was accepted":          {Verdict{Asked: true}, "kube-apiserver accepts it (dry run)."},
		"that of many some were tried":   {Verdict{Asked: true, Untried: 7}, "kube-apiserver accepts it (dry run; 7 pods not tried)."},
		"a rejection, word for word":     {Verdict{Asked: true, Untried: 7, Rejections: []string{"Not today."}}, "kube-apiserver: Not today."},
		"why nothing was tried":          {Verdict{Skipped: "read-only: no dry run is sent"}, "No dry run: read-only: no dry run is sent."},
		"that nobody has tried anything": {Verdict{}, "No dry run."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.verdict.Words(); got != test.want {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}
