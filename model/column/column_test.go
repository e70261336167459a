package column

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// rack is a node in a rack.
func rack() *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "a", Labels: map[string]string{"example.com/rack": "r1", "empty": ""}, Annotations: map[string]string{"example.com/owner": "team a"},
		},
		Spec:   corev1.NodeSpec{PodCIDRs: []string{"10.0.0.0/24", "fd00::/64"}},
		Status: corev1.NodeStatus{Capacity: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8")}},
	}
}

func TestValuesOfColumns(t *testing.T) {
	const unknown = model.UnknownFigure
	for name, c := range map[string]struct {
		spec        Spec
		whole, part string // of objects that are whole, and of others
	}{
		"a label":                       {Spec{Label: "example.com/rack"}, "r1", "r1"},
		"a label without a value":       {Spec{Label: "empty"}, "", ""},
		"no such label":                 {Spec{Label: "example.com/row"}, "", ""},
		"an annotation":                 {Spec{Annotation: "example.com/owner"}, "team a", "team a"},
		"no such annotation":            {Spec{Annotation: "example.com/row"}, "", model.UnknownFigure},
		"a field":                       {Spec{Head: "X", CEL: "object.metadata.name"}, "a", model.UnknownFigure},
		"a key with a slash":            {Spec{Head: "X", CEL: `object.metadata.labels["example.com/rack"]`}, "r1", model.UnknownFigure},
		"no such field":                 {Spec{Head: "X", CEL: "object.status.nodeInfo2.kernelVersion"}, "", model.UnknownFigure},
		"a field that may lack":         {Spec{Head: "X", CEL: `object.?spec.?nope.orValue("none")`}, "none", model.UnknownFigure},
		"an optional that is empty":     {Spec{Head: "X", CEL: "object.?spec.?nope"}, "", model.UnknownFigure},
		"a list":                        {Spec{Head: "X", CEL: "object.spec.podCIDRs"}, "10.0.0.0/24,fd00::/64", model.UnknownFigure},
		"beyond a list":                 {Spec{Head: "X", CEL: "object.spec.podCIDRs[7]"}, "", model.UnknownFigure},
		"a comparison":                  {Spec{Head: "X", CEL: `object.status.capacity.cpu == "8"`}, "true", model.UnknownFigure},
		"a figure":                      {Spec{Head: "X", CEL: "size(object.spec.podCIDRs)"}, "2", model.UnknownFigure},
		"a function of texts":           {Spec{Head: "X", CEL: `object.metadata.name.upperAscii()`}, "A", model.UnknownFigure},
		"an expression that fails":      {Spec{Head: "X", CEL: `int(object.metadata.name)`}, unknown, model.UnknownFigure},
		"a map":                         {Spec{Head: "X", CEL: "object.metadata.labels"}, unknown, model.UnknownFigure},
		"an expression that costs much": {Spec{Head: "X", CEL: costly()}, unknown, model.UnknownFigure},
	} {
		t.Run(name, func(t *testing.T) {
			for whole, want := range map[bool]string{true: c.whole, false: c.part} {
				column, field, err := New(c.spec)
				if err != nil {
					t.Fatal(field, err)
				}
				for range 2 { // the second is remembered
					if got := column.Value(rack(), whole); got != want {
						t.Errorf("whole %v: got %q, want %q", whole, got, want)
					}
				}
			}
		})
	}
}

// costly goes through a list in a list, many times.
func costly() string {
	list := "[" + strings.Repeat("1,", 60) + "1]"
	return list + ".all(a, " + list + ".all(b, " + list + ".all(c, a + b + c > 0)))"
}

func TestHeadsOfColumns(t *testing.T) {
	for want, spec := range map[string]Spec{
		"RACK": {Label: "example.com/rack"}, "APP": {Label: "app"}, "OWNER": {Annotation: "example.com/owner"}, "Mine": {Head: "Mine", Label: "app"},
	} {
		if c, _, err := New(spec); err != nil || c.Head != want {
			t.Errorf("%+v: %v %v", spec, c, err)
		}
	}
}

func TestColumnsThatAreNone(t *testing.T) {
	for _, c := range []struct {
		spec        Spec
		field, want string
	}{
		{Spec{}, "", "set one of label, annotation and cel"},
		{Spec{Label: "a", CEL: "object"}, "", "set one of label, annotation and cel"},
		{Spec{Label: "a b"}, "label", `"a b" is not a key`},
		{Spec{Annotation: "/x"}, "annotation", `"/x" is not a key`},
		{Spec{CEL: "object.metadata.name"}, "", "a column of cel needs a head"},
		{Spec{Head: "X", CEL: "node.name"}, "cel", "undeclared reference to 'node'"},
		{Spec{Head: "X", CEL: "object."}, "cel", "Syntax error"},
		{Spec{Head: "X", CEL: strings.Repeat("1+", 600) + "1"}, "cel", "more than 1000 characters"},
		{Spec{Head: strings.Repeat("x", 31), Label: "a"}, "head", "at most 30 characters"},
		{Spec{Head: "a\x1b[31m", Label: "a"}, "head", "cannot be printed"},
	} {
		_, field, err := New(c.spec)
		if err == nil || field != c.field || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %q %v", c.spec, field, err)
		}
	}
}

func TestOnlyLabelsAreKeptOfEachObject(t *testing.T) {
	for _, spec := range []Spec{{Label: "a"}, {Annotation: "a"}, {Head: "A", CEL: "object.metadata.name"}} {
		c, _, err := New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.NeedsWhole(); got != (spec.Label == "") {
			t.Errorf("%+v: %v", spec, got)
		}
	}
}

func TestFieldsThatNoObjectOfAKindHas(t *testing.T) {
	for expression, want := range map[string]string{
		`object.metadat.name`:                                                "object.metadat",
		`object.metadata.nam`:                                                "object.metadata.nam",
		`object["metadat"].name`:                                             "object.metadat",
		`object.?spec.?nope.orValue("x")`:                                    "object.spec.nope",
		`has(object.spec.nope) ? "a" : "b"`:                                  "object.spec.nope",
		`object.status.nodeInfo.kernelVersion2`:                              "object.status.nodeInfo.kernelVersion2",
		`object.status.conditions.filter(c, c.typ == "Ready")`:               "c.typ",
		`object.status.conditions[0].typ`:                                    "object.status.conditions[].typ",
		`[object.spec.podCIDRs, [object.spec.nope]]`:                         "object.spec.nope",
		`{"a": object.nope}["a"]`:                                            "object.nope",
		`"<" + object.nope + ">"`:                                            "object.nope",
		`size(object.nope) > 1 ? object.nope2 : ""`:                          "object.nope",
		`object.metadata.name`:                                               "",
		`object.kind + object.apiVersion`:                                    "",
		`object.metadata.labels["example.com/rack"]`:                         "",
		`object.metadata.labels.rack`:                                        "",
		`object.metadata.annotations.?owner.orValue("")`:                     "",
		`object.metadata.creationTimestamp`:                                  "",
		`object.metadata.ownerReferences[0].name`:                            "",
		`object.status.capacity["nvidia.com/gpu"]`:                           "",
		`object.status.capacity.cpu.foo`:                                     "", // an amount is text, which CEL itself rejects
		`object.status.conditions.exists(object, object.type == "Rdy")`:      "",
		`object.metadata.labels.map(k, k.foo)`:                               "",
		`object.status.addresses.map(a, a.address)`:                          "",
		`object.?spec.?podCIDR.optMap(x, x.foo).orValue("")`:                 "",
		`object.spec.taints.all(t, object.spec.podCIDRs.all(c, t.key != c))`: "",
		`object[object.metadata.name].foo`:                                   "",
		`object.metadata.managedFields[0].fieldsV1.foo`:                      "",
		`object.`: "", // New says what is wrong
	} {
		got := Spec{Head: "X", CEL: expression}.UnknownField(&corev1.Node{})
		if path := ""; want != "" || got != nil {
			if got != nil {
				path = got.Path
			}
			if path != want {
				t.Errorf("%s: found %q, want %q", expression, path, want)
			}
		}
	}
	if got := (Spec{Label: "nope"}).UnknownField(&corev1.Node{}); got != nil {
		t.Errorf("a label has no field: %+v", got)
	}
	if got := (Spec{CEL: "object.spec.containers.map(c, c.imag)"}).UnknownField(&corev1.Pod{}); got == nil || got.Name != "imag" || !slices.Contains(got.Names, "image") {
		t.Errorf("a container has no imag: %+v", got)
	}
}
