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

// Errors say where in the file they are, and of which object.
func TestAnErrorOfAManifestNamesItsLineAndObject(t *testing.T) {
	const pod = "# the first\napiVersion: v1\nkind: Pod\nmetadata: {name: small}\nspec: {containers: [{name: app, image: app}]}\n---\n"
	deployment := func(version, fields string) string {
		return "apiVersion: " + version + "\nkind: Deployment\nmetadata:\n  name: web\n" + fields
	}
	for _, c := range []struct{ name, text, want string }{
		{
			"a field of another type", pod + "\n# the second\n" + deployment("apps/v1", "spec: {replicas: three}\n"),
			"line 9: Deployment web: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
		},
		{
			"in the only document", deployment("apps/v1", "spec: {replicas: three}\n"),
			"Deployment web: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
		},
		{"an unknown field", pod + deployment("apps/v1", "spec: {replica: 3}\n"), `line 7: Deployment web: strict decoding error: unknown field "spec.replica"`},
		{
			"an item of a List", pod + "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: app, image: 3}]}}\n",
			"line 7: items[0]: Pod a: json: cannot unmarshal number into Go struct field Container.spec.containers.image of type string",
		},
		{"no YAML", pod + deployment("apps/v1", "spec:\n\treplicas: 3\n"), "yaml: line 12: found character that cannot start any token"},
		{"a version that was removed", deployment("extensions/v1beta1", "spec: {}\n"), "Deployment web: extensions/v1beta1 was removed in Kubernetes 1.16: use apps/v1"},
		{"a version that never was", deployment("apps/v9", "spec: {}\n"), "Deployment web: there is no Deployment of apps/v9"},
	} {
		if _, err := podsIn([]byte(c.text), Namespace{Name: metav1.NamespaceDefault}); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestOtherKindsOfAManifestAreSkippedWhateverTheirVersion(t *testing.T) {
	const others = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n---\napiVersion: example.com/v1\nkind: Deployment\nmetadata: {name: web}\n"
	if pods, err := podsIn([]byte(others), Namespace{Name: metav1.NamespaceDefault}); err != nil || len(pods) > 0 {
		t.Errorf("%v, %v", pods, err)
	}
}
