package manifest

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A manifest gives pods, which are valid or not, or an error; nothing panics.
func FuzzReadManifest(f *testing.F) {
	for _, script := range []string{"manifest", "explain"} {
		archive, err := txtar.ParseFile("../testdata/" + script + ".txtar")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		pods, err := podsIn(text, Namespace{Name: metav1.NamespaceDefault})
		if err != nil && len(pods) > 0 {
			t.Errorf("%d pods and %v", len(pods), err)
		}
		for _, w := range pods {
			pod := w.Pod.DeepCopy()
			_ = Validate(pod) // either will do
			w.WithNewClaims(pod)
		}
	})
}

func TestYAMLMayBeginWithABrace(t *testing.T) {
	planned, err := podsIn([]byte(`{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: web, image: web}]}}`), Namespace{Name: metav1.NamespaceDefault})
	if err != nil || len(planned) != 1 || planned[0].Pod.Name != "web" {
		t.Errorf("%v, %v", planned, err)
	}
}
