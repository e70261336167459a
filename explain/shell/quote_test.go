package shell

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A word of a command is what it was before it was quoted, whatever is in it.
func TestQuotedWordsAreTheSameToAShell(t *testing.T) {
	var words, quoted []string
	alphabet := []rune("ab-_/ '\"\\$`!*?[]{}()<>|&;#~=%\t\n\réΩ")
	for range 500 {
		word := make([]rune, rand.IntN(12))
		for i := range word {
			word[i] = alphabet[rand.IntN(len(alphabet))]
		}
		words, quoted = append(words, string(word)), append(quoted, Quote(string(word)))
	}
	got, err := exec.Command("bash", "-c", `printf '%s\0' `+strings.Join(quoted, " ")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(words, strings.Split(strings.TrimSuffix(string(got), "\x00"), "\x00")); diff != "" {
		t.Errorf("the shell reads other words (-written +read)\n%s", diff)
	}
}
