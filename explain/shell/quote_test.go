package shell

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// A word of a command is what it was before it was quoted, whatever is in it.
func TestQuotedWordsAreTheSameToAShell(t *testing.T) {
	for _, shell := range []string{"sh", "bash", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil && shell == "zsh" {
				t.Skip("zsh is not installed: only bash was tried")
			}
			rapid.Check(t, func(rt *rapid.T) {
				word := rapid.StringOfN(rapid.SampledFrom([]rune("ab=ls-_/ '\"\\$`!*?[]{}()<>|&;#~%^@+:,\t\n\réΩ")), 0, 12, -1)
				words := rapid.SliceOfN(word, 1, 40).Draw(rt, "words")
				command := exec.Command(shell, "-c", Line(append([]string{"printf", `%s\0`}, words...)...))
				got, err := command.Output()
				if err != nil {
					rt.Fatalf("%v: %s", err, command.Args[2])
				}
				if diff := cmp.Diff(words, strings.Split(strings.TrimSuffix(string(got), "\x00"), "\x00")); diff != "" {
					rt.Errorf("%s reads other words (-written +read)\n%s", shell, diff)
				}
			})
		})
	}
}

func TestZshTakesNoWordForThePathOfACommand(t *testing.T) {
	for word, want := range map[string]string{"=ls": "'=ls'", "a=ls": "a=ls", "--requests=cpu=2": "--requests=cpu=2", "": "''", "it's": `'it'\''s'`} {
		if got := Quote(word); got != want {
			t.Errorf("%q is written %s, want %s", word, got, want)
		}
	}
}

// What a terminal would obey or hide is escaped, so that the command that is drawn
// and copied is the one that was made.
func TestOneLineIsDrawnAsItIs(t *testing.T) {
	text := OneLine(map[string]string{"key": "<a>\x1b[2J\u202e\u009b\x7f\n&"})
	if want := `{"key":"<a>\u001b[2J\u202e\u009b\u007f\n&"}`; text != want || model.Clean(text) != text {
		t.Errorf("it is %s, drawn %s, want %s", text, model.Clean(text), want)
	}
}
