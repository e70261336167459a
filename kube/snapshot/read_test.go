package snapshot

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	corev1 "k8s.io/api/core/v1"
)

const (
	nodeItem = "- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n"
	podItem  = "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p\n    namespace: shop\n    annotations:\n      text: |\n        items:\n\n        - not one\n"
	nodeJSON = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}`
	podJSON  = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop"}}`
)

func TestEveryFormOfKubectlIsRead(t *testing.T) {
	for name, text := range map[string]string{
		"a List":                          "apiVersion: v1\nitems:\n" + nodeItem + podItem + "kind: List\nmetadata:\n  resourceVersion: \"\"\n",
		"an indented List":                "kind: List\napiVersion: v1\nitems:\n" + indented(nodeItem+podItem),
		"a List in Windows' lines":        strings.ReplaceAll("apiVersion: v1\nitems:\n"+nodeItem+podItem+"kind: List\n", "\n", "\r\n"),
		"a List in flow style":            "{apiVersion: v1, kind: List, items: [" + nodeJSON + ", " + podJSON + "]}\n",
		"several documents":               "# two\n---\n" + plain(nodeItem) + "---\n" + plain(podItem) + "...\n",
		"a List of Lists":                 "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  " + strings.ReplaceAll(nodeItem+podItem, "\n", "\n  ") + "\n",
		"JSON":                            `{"apiVersion":"v1","items":[` + nodeJSON + `,` + podJSON + `],"kind":"List"}`,
		"JSON documents":                  nodeJSON + "\n" + podJSON,
		"lists of one kind":               `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}{"apiVersion":"v1","items":[{"metadata":{"name":"p","namespace":"shop"}}],"kind":"PodList"}`,
		"JSON after a byte order mark":    "\xef\xbb\xbf \n" + nodeJSON + podJSON,
		"an object that comes twice":      nodeJSON + podJSON + nodeJSON,
		"lists of one kind, as documents": "kind: NodeList\napiVersion: v1\nitems:\n- metadata: {name: a}\n---\nkind: PodList\napiVersion: v1\nitems:\n- metadata: {name: p, namespace: shop}\n",
	} {
		for packing, packed := range map[string][]byte{"": []byte(text), "gzip": zipped(t, text), "zstd": squeezed(t, text)} {
			f, err := Read(bytes.NewReader(packed), ReadOptions{Name: "x", Taken: time.Unix(1, 0)})
			if err != nil {
				t.Errorf("%s %s: %v", name, packing, err)
				continue
			}
			got := map[string]int{"nodes": len(f.objects["nodes"]), "pods": len(f.objects["pods"]), "unknown": len(f.Unknown)}
			if diff := cmp.Diff(map[string]int{"nodes": 1, "pods": 1, "unknown": 0}, got); diff != "" {
				t.Errorf("%s %s: %s", name, packing, diff)
			}
			if pod, ok := f.objects["pods"][0].(*corev1.Pod); !ok || pod.UID == "" || pod.ResourceVersion == "" || f.Info.Namespace != "shop" {
				t.Errorf("%s %s: pod %v, namespace %q", name, packing, pod, f.Info.Namespace)
			}
		}
	}
}

func indented(text string) string {
	return "  " + strings.TrimSuffix(strings.ReplaceAll(text, "\n", "\n  "), "  ")
}

// plain is an item as a document.
func plain(item string) string {
	return strings.ReplaceAll(strings.TrimPrefix(item, "- "), "\n  ", "\n")
}

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func squeezed(t testing.TB, text string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

func TestWhatIsNoSnapshotIsToldInOneLine(t *testing.T) {
	whole := "apiVersion: v1\nitems:\n" + nodeItem + podItem + "kind: List\n"
	pack := zipped(t, strings.Repeat(whole, 50))
	for name, test := range map[string]struct{ text, want string }{
		"empty":                    {"", "it is empty"},
		"blanks":                   {" \n\t\n", "it is empty"},
		"words":                    {"hello\n", "without a kind"},
		"no kind":                  {"a: b\n", "without a kind"},
		"another kind":             {"kind: Secret\napiVersion: v1\nmetadata: {name: x}\n", "no nodes and no pods in it, only Secret"},
		"an empty List":            {"kind: List\napiVersion: v1\nitems: []\n", "no nodes and no pods in it"},
		"JSON that is cut off":     {`{"kind":"List","apiVersion":"v1","items":[` + nodeJSON, "is truncated"},
		"a List that is cut off":   {"apiVersion: v1\nitems:\n" + nodeItem, "truncated"},
		"gzip that is cut off":     {string(pack[:len(pack)/2]), "is truncated"},
		"zstd that is cut off":     {string(squeezed(t, strings.Repeat(whole, 50))[:60]), "is truncated"},
		"a pod that is none":       {"kind: Pod\napiVersion: v1\nmetadata: {name: x}\nspec: 7\n", "Pod x: json: cannot unmarshal number"},
		"an amount that is none":   {"kind: Node\napiVersion: v1\nmetadata: {name: x}\nstatus: {allocatable: {cpu: many}}\n", `Node x: status.allocatable.cpu: "many" is not a quantity`},
		"an event without a name":  {"kind: Event\napiVersion: v1\n", "an Event without a name"},
		"a pod without a name":     {"kind: Pod\napiVersion: v1\n", "a Pod without a name"},
		"binary":                   {"\x00\x01\x02\x7fELF\x00\n", "control characters"},
		"items that are none":      {`{"kind":"List","items":7}`, "items is not a list"},
		"items of no list":         {`{"kind":"Pod","apiVersion":"v1","items":[]}`, "not a List"},
		"an item that is no YAML":  {strings.Replace(whole, "kind: Pod", "kind: {", 1), "yaml: line 9: did not find expected ',' or '}'"},
		"a document that is none":  {whole + "---\nkind: Pod\n\tx: 1\n", fmt.Sprintf("yaml: line %d: found a tab character", strings.Count(whole, "\n")+3)},
		"tabs":                     {"kind:\tPod\n\tx: 1\n", "tab character"},
		"Lists in Lists, too many": {strings.Repeat(`{"kind":"List","apiVersion":"v1","items":[`, 12) + nodeJSON + strings.Repeat(`]}`, 12), "nested too deeply"},
		"info that is none":        {`{"kind":"SnapshotInfo","apiVersion":"fathom/v1alpha1","taken":7}`, "SnapshotInfo"},
		"refused pods that are none": {
			`{"kind":"SnapshotInfo","apiVersion":"fathom/v1alpha1","refused":[{"missing":1}]}`, "has no pod",
		},
	} {
		_, err := Read(strings.NewReader(test.text), ReadOptions{})
		if err == nil || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// endless gives the same bytes again and again.
type endless struct {
	head, body string
	at         int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.at < int64(len(e.head)) {
		n := copy(p, e.head[e.at:])
		e.at += int64(n)
		return n, nil
	}
	n := copy(p, e.body)
	e.at += int64(n)
	return n, nil
}

func TestWhatIsTooLargeIsRefusedBeforeItFillsMemory(t *testing.T) {
	for name, in := range map[string]*endless{
		"a List without an end": {head: "items:\n", body: nodeItem},
		"JSON without an end":   {head: `{"kind":"List","items":[` + nodeJSON, body: "," + nodeJSON},
	} {
		_, err := Read(in, ReadOptions{most: 4 << 20})
		if !errors.Is(err, errTooLarge) || in.at > 5<<20 {
			t.Errorf("%s: %v after %d bytes", name, err, in.at)
		}
	}
	for name, in := range map[string]*endless{
		"a node without an end":   {head: "items:\n" + nodeItem, body: "  x: 1\n"},
		"a pod without an end":    {body: "x: 1\n"},
		"a line without an end":   {body: strings.Repeat("x", 1<<16)},
		"a string without an end": {head: `{"kind":"`, body: strings.Repeat("x", 1<<16)},
	} {
		_, err := Read(in, ReadOptions{})
		if !errors.Is(err, errTooLarge) || in.at > 2*mostItem {
			t.Errorf("%s: %v after %d bytes", name, err, in.at)
		}
	}
	for name, text := range map[string]string{
		"a line at the end":             "kind: List\nx: [" + strings.Repeat("1,", mostYAML) + "1]",
		"a line of an item, at the end": "items:\n" + nodeItem + "  x: [" + strings.Repeat("1,", mostYAML) + "1]",
	} {
		if _, err := Read(strings.NewReader(text), ReadOptions{}); !errors.Is(err, errTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Two gigabytes on disk are not even opened; the file takes no room.
	large := filepath.Join(t.TempDir(), "large.json")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 2<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(large, ReadOptions{}); !errors.Is(err, errTooLarge) || strings.Contains(err.Error(), "\n") {
		t.Errorf("two gigabytes: %v", err)
	}
}

func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	s := taken(t, sourceOf(withSecrets()))
	dir := t.TempDir()
	name := filepath.Join(dir, "s.yaml")
	if err := s.Save(name, false); err != nil {
		t.Fatal(err)
	}
	about, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if about.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", about.Mode())
	}
	if err := s.Save(name, false); !errors.Is(err, ErrExists) {
		t.Errorf("it was written over: %v", err)
	}
	if err := s.Save(name, true); err != nil {
		t.Error(err)
	}
	full := &Snapshot{info: s.info, objects: s.objects, scrub: s.scrub}
	if err := full.Write(brokenPipe{}, YAML); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("what could not be written: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v", left, err)
	}
	for _, name := range []string{"s", "s.txt", "s.gz", ".zst"} {
		if err := CheckFile(name, true); err == nil {
			t.Errorf("%s: how is it written?", name)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// What is read is served, or refused in one line; nothing panics.
func fuzzed(t *testing.T, text []byte) {
	t.Helper()
	f, err := Read(bytes.NewReader(text), ReadOptions{Name: "x", Taken: time.Unix(1, 0), most: 1 << 20})
	if err != nil {
		if !errors.Is(err, ErrFormat) && !errors.Is(err, errTooLarge) {
			t.Errorf("%v: of no kind that is known", err)
		}
		return
	}
	if _, err := f.Source(); err != nil {
		t.Error(err)
	}
}

// seeds are what fuzzing starts from.
func seeds(f *testing.F, format Format) [][]byte {
	f.Helper()
	own := written(f, taken(f, sourceOf(withSecrets())), format)
	list := "apiVersion: v1\nitems:\n" + nodeItem + podItem + "kind: List\n"
	if format == JSON {
		list = fmt.Sprintf(`{"apiVersion":"v1","items":[%s,%s],"kind":"List"}`, nodeJSON, podJSON)
	}
	return [][]byte{[]byte(own), []byte(list)}
}

func FuzzReadYAML(f *testing.F) {
	for _, seed := range seeds(f, YAML) {
		f.Add(seed)
	}
	f.Fuzz(fuzzed)
}

func FuzzReadJSON(f *testing.F) {
	for _, seed := range seeds(f, JSON) {
		f.Add(seed)
	}
	f.Fuzz(fuzzed)
}

func FuzzReadPacked(f *testing.F) {
	for _, seed := range seeds(f, JSON) {
		f.Add(zipped(f, string(seed)))
		f.Add(squeezed(f, string(seed)))
	}
	f.Fuzz(fuzzed)
}

// A workload of a version that Kubernetes no longer serves is told as that.
func TestAWorkloadOfAnotherVersionIsToldAsThat(t *testing.T) {
	old := `{"kind":"Deployment","apiVersion":"extensions/v1beta1","metadata":{"name":"web"}}`
	f, err := Read(strings.NewReader(nodeJSON+podJSON+old), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"Deployment of extensions/v1beta1": 1}, f.OtherVersions); diff != "" || len(f.Unknown) > 0 {
		t.Errorf("%s, unknown %v", diff, f.Unknown)
	}
}

// An object of another version of its API is not read, and is not said to be missing.
func TestAKindOfAnotherVersionIsToldAsThat(t *testing.T) {
	rule := `{"kind":"DeviceTaintRule","apiVersion":"resource.k8s.io/v1alpha3","metadata":{"name":"broken"}}`
	f, err := Read(strings.NewReader(nodeJSON+podJSON+rule), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"DeviceTaintRule of resource.k8s.io/v1alpha3": 1}, f.OtherVersions); diff != "" || len(f.Unknown) > 0 {
		t.Errorf("%s, unknown %v", diff, f.Unknown)
	}
	want := "the file has devicetaintrules of resource.k8s.io/v1alpha3 only, and fathom reads resource.k8s.io/v1"
	if why := f.why(byResource["devicetaintrules"]); why != want {
		t.Errorf("got %q, want %q", why, want)
	}
	if withoutDRA(f) {
		t.Error("the cluster does not use dynamic resource allocation")
	}
}
