package snapshot

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// amountPlaces are objects with %s in each kind of place where the API has a quantity.
var amountPlaces = map[string]string{
	"spec.containers[0].resources.requests.cpu":            `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":%s}}}]}}`,
	"spec.initContainers[0].resources.limits.example.com/": `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"initContainers":[{"name":"c","resources":{"limits":{"example.com/x":%s}}}]}}`,
	"spec.overhead.memory":                                 `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"overhead":{"memory":%s}}}`,
	"spec.volumes[0].emptyDir.sizeLimit":                   `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","emptyDir":{"sizeLimit":%s}}]}}`,
	"status.containerStatuses[0].allocatedResources.cpu":   `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"status":{"containerStatuses":[{"name":"c","allocatedResources":{"cpu":%s}}]}}`,
	"status.allocatable.pods":                              `{"apiVersion":"v1","kind":"Node","metadata":{"name":"p"},"status":{"allocatable":{"pods":%s}}}`,
	"spec.hard.requests.cpu":                               `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"p"},"spec":{"hard":{"requests.cpu":%s}}}`,
	"spec.limits[0].defaultRequest.cpu":                    `{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"p"},"spec":{"limits":[{"defaultRequest":{"cpu":%s}}]}}`,
	"overhead.podFixed.cpu":                                `{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"p"},"overhead":{"podFixed":{"cpu":%s}}}`,
	"spec.devices[0].capacity.memory.value":                `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"p"},"spec":{"devices":[{"name":"d","capacity":{"memory":{"value":%s}}}]}}`,
	"refused[0].pod.spec.overhead.cpu":                     `{"apiVersion":"fathom/v1alpha1","kind":"SnapshotInfo","metadata":{"name":"p"},"refused":[{"pod":{"spec":{"overhead":{"cpu":%s}}}}]}`,
	"capacity":                                             `{"apiVersion":"storage.k8s.io/v1","kind":"CSIStorageCapacity","metadata":{"name":"p"},"capacity":%s}`,
	// The first of two keys is decoded too.
	"spec.overhead.cpu": `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"overhead":{"cpu":%s,"cpu":"1"}}}`,
}

func TestAnAmountWithAnAbsurdExponentIsRefusedBeforeItIsDecoded(t *testing.T) {
	for place, object := range amountPlaces {
		for _, amount := range []string{`"1e999999999"`, `"-1.5E+99999"`, `"1e-999999999"`, `" 0e1000 "`, `"1e99999999999999999999"`, `1e999999999`} {
			one := fmt.Sprintf(object, amount)
			texts := map[string]string{
				"JSON":             one,
				"a List":           `{"apiVersion":"v1","kind":"List","items":[` + nodeJSON + `,` + one + `]}`,
				"a List in a List": `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"List","items":[` + one + `]}]}`,
				"flow style":       "# YAML\n" + one,
			}
			if block, err := yaml.JSONToYAML([]byte(one)); err == nil && !strings.Contains(object, `"cpu":"1"`) {
				texts["YAML"] = string(block)
				texts["a List in YAML"] = "apiVersion: v1\nitems:\n- " + strings.TrimSuffix(strings.ReplaceAll(string(block), "\n", "\n  "), "  ") + "kind: List\n"
			}
			for form, text := range texts {
				if form == "flow style" && strings.Contains(object, `"cpu":"1"`) {
					continue // YAML has each key once
				}
				_, err := Read(strings.NewReader(text), ReadOptions{})
				if err == nil || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), place) ||
					!strings.Contains(err.Error(), "exponent of more than three digits") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %s of %s: %v\n%s", form, place, amount, err, text)
				}
			}
		}
	}
}

func TestWhatLooksLikeAnAbsurdAmountIsKeptWhereNoneIs(t *testing.T) {
	const text = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"1e999999999","uid":"1e99999","labels":{"requests":"1e9999"},` +
		`"annotations":{"a":"1e999999999","requests":"1E99999"}},"spec":{"overhead":{"cpu":"1e3","memory":"12e1"},"unknown":{"cpu":"1e9999"}}}`
	f, err := Read(strings.NewReader(text), ReadOptions{})
	if err != nil || len(f.objects["pods"]) != 1 {
		t.Errorf("%v", err)
	}
}
