package cells

import "testing"

func TestWantsASCII(t *testing.T) {
	for name, test := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"UTF-8":                          {map[string]string{"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}, false},
		"LC_ALL comes first":             {map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "C"}, true},
		"nothing":                        {map[string]string{}, true},
		"Windows Terminal":               {map[string]string{"WT_SESSION": "1"}, false},
		"Windows Terminal with a locale": {map[string]string{"WT_SESSION": "1", "LANG": "C"}, true},
		"the console of Linux":           {map[string]string{"TERM": "linux", "LANG": "en_US.UTF-8"}, true},
		"wide ambiguous letters":         {map[string]string{"LANG": "ja_JP.UTF-8"}, true},
	} {
		if got := WantsASCII(func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
