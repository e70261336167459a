package get

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/kubectl-fathom/kubectl-fathom/cli/lessonlist"
	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/inventory"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

var update = flag.Bool("update", false, "write the schemas in docs/schema anew")

// lists are the types of the items of each list.
var lists = map[string]any{
	report.ListKind: report.Report{},
	"NodeList":      nodeItem{}, "PodList": podItem{}, "PendingList": pendingItem{},
	"PoolList": inventory.Pool{}, "TaintList": taintItem{}, "PriorityList": inventory.Priority{},
	"QuotaList": inventory.Quota{}, "BudgetList": inventory.Budget{}, "VolumeList": inventory.Volume{},
	"DeviceList": inventory.Device{}, "ResizeList": inventory.Resize{}, "SchedulerList": inventory.Leader{},
	"EvictionList": kubelet.Eviction{}, "CgroupList": kubelet.Cgroup{},
	"LessonList": lessonlist.Item{}, "LessonProgressList": lessonlist.ProgressItem{},
}

// besides are fields that lists have beside their items, which may be null.
var besides = map[string]struct {
	field, words string
	of           any
}{
	"EvictionList": {kubeletField, kubeletWords, &kubelet.Config{}}, "CgroupList": {kubeletField, kubeletWords, &kubelet.Config{}},
	"BudgetList": {unprotectedField, "Workloads of several pods that no budget selects; null where not all pods are known.", []unprotectedItem{}},
}

const kubeletWords = "The configuration of the node's kubelet; null where it cannot be read."

// objects are the types of the other kinds.
var objects = map[string]any{
	"Fit": report.Fit{}, fitLose: report.Loss{},
	report.Kind: report.Report{}, "Plan": plan.Document{}, "PendingEvent": pendingEvent{}, "AccessList": accessList{},
}

// fitLose names the schema of fit --lose, whose kind is Fit too.
const fitLose = "FitLose"

// generated are the schemas of all kinds, by kind.
func generated(t *testing.T) map[string]*schema {
	t.Helper()
	doc := comments(t)
	all := map[string]*schema{}
	for kind, item := range lists {
		of := doc.schemaOf(t, reflect.TypeOf(item))
		list := &schema{Type: "object", Properties: map[string]*schema{"items": {Type: "array", Items: of}}, Required: []string{"items"}}
		if beside, ok := besides[kind]; ok {
			of := doc.schemaOf(t, reflect.TypeOf(beside.of))
			if word, ok := of.Type.(string); ok {
				of.Type = []string{word, "null"}
			}
			of.Description, list.Properties[beside.field] = beside.words, of
		}
		all[kind] = list.named(kind)
	}
	for kind, object := range objects {
		all[kind] = doc.schemaOf(t, reflect.TypeOf(object)).named(kind)
	}
	return all
}

const schemaFolder = "../../docs/schema/v1beta1"

func TestTheSchemasAreThoseOfTheTypes(t *testing.T) {
	all := generated(t)
	for kind, schema := range all {
		want, err := json.MarshalIndent(schema, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(schemaFolder, kind+".json")
		if *update {
			if err := os.WriteFile(path, append(want, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want)+"\n" {
			t.Errorf("%s is not what the types say: run go test ./cli/get -run Schemas -update", path)
		}
	}
	files, err := filepath.Glob(schemaFolder + "/*.json")
	if err != nil || len(files) != len(all) {
		t.Errorf("%d files for %d kinds, %v", len(files), len(all), err)
	}
}

// TestEachViewHasASchema wants a schema for each list that get prints.
func TestEachViewHasASchema(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range listKind.FindAllString(string(text), -1) {
			kind = strings.Trim(kind, `"`)
			if found++; lists[kind] == nil && objects[kind] == nil {
				t.Errorf("%s: %s has no schema", file, kind)
			}
		}
	}
	if found < len(views) {
		t.Errorf("only %d kinds were found", found)
	}
}

// TestRecordedAnswersKeepTheirSchema validates what earlier builds printed: who wrote a script
// for them finds each field, of the same type.
func TestRecordedAnswersKeepTheirSchema(t *testing.T) {
	all := generated(t)
	files, err := filepath.Glob("testdata/answers/*.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var answer map[string]any
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatal(err)
		}
		kind, _ := answer["kind"].(string)
		if kind == "Fit" && answer["lost"] != nil {
			kind = fitLose
		}
		if all[kind] == nil {
			t.Errorf("%s: kind %q has no schema", file, kind)
			continue
		}
		seen[kind] = true
		for _, problem := range violations(t, all[kind], answer) {
			t.Errorf("%s: %s", file, problem)
		}
		for _, field := range all[kind].unknown(answer, kind) {
			t.Errorf("%s: %s is not in the schema", file, field)
		}
	}
	if len(seen) < len(all) {
		t.Errorf("only %v were recorded", seen)
	}
}

func TestAnAnswerOfAnotherShapeIsNone(t *testing.T) {
	pods := generated(t)["PodList"]
	answer := func(change func(item map[string]any)) map[string]any {
		text, err := os.ReadFile("testdata/answers/pods.json")
		if err != nil {
			t.Fatal(err)
		}
		var answer map[string]any
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatal(err)
		}
		change(answer["items"].([]any)[0].(map[string]any))
		return answer
	}
	for name, change := range map[string]func(map[string]any){
		"a field is gone":       func(item map[string]any) { delete(item, "qosClass") },
		"a number is a text":    func(item map[string]any) { item["priority"] = "0" },
		"what is never null":    func(item map[string]any) { item["requests"] = nil },
		"a text is an object":   func(item map[string]any) { item["node"] = map[string]any{} },
		"an amount is a number": func(item map[string]any) { item["requests"] = map[string]any{"cpu": 1.0} },
	} {
		if len(violations(t, pods, answer(change))) == 0 {
			t.Errorf("%s: it is valid", name)
		}
	}
	if found := violations(t, pods, answer(func(item map[string]any) { item["owner"] = nil })); len(found) > 0 {
		t.Errorf("an owner may be null: %v", found)
	}
	if found := pods.unknown(answer(func(item map[string]any) { item["novel"] = 1.0 }), "PodList"); !slices.Equal(found, []string{"PodList.items[].novel"}) {
		t.Errorf("unknown are %v", found)
	}
}

// violations are what is wrong with an answer by its schema.
func violations(t *testing.T, s *schema, answer any) []string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	parsed := &spec.Schema{}
	if err := json.Unmarshal(text, parsed); err != nil {
		t.Fatal(err)
	}
	result := validate.NewSchemaValidator(parsed, nil, "", strfmt.Default).Validate(answer)
	problems := make([]string, 0, len(result.Errors))
	for _, err := range result.Errors {
		problems = append(problems, err.Error())
	}
	return problems
}
