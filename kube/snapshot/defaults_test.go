package snapshot

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
)

// What becomes of a pod of a StatefulSet once its template is changed rests on updateStrategy. A file that somebody wrote
// has what an API server would fill in; one of fathom has what the cluster has; an older one of fathom has none.
func TestTheUpdateStrategyIsThatOfTheCluster(t *testing.T) {
	for name, test := range map[string]struct{ spec, want string }{
		"written by hand": {`"replicas":1`, "RollingUpdate from 0"},
		"of the cluster": {
			`"podManagementPolicy":"OrderedReady","updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":2}}`, "RollingUpdate from 2",
		},
		"OnDelete":                {`"podManagementPolicy":"OrderedReady","updateStrategy":{"type":"OnDelete"}`, "OnDelete"},
		"of an older version":     {`"podManagementPolicy":"OrderedReady","updateStrategy":{}`, "unknown"},
		"without a rollingUpdate": {`"podManagementPolicy":"OrderedReady","updateStrategy":{"type":"RollingUpdate"}`, "RollingUpdate"},
	} {
		t.Run(name, func(t *testing.T) {
			set := fmt.Sprintf(`{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"namespace":"shop","name":"db"},"spec":{%s}}`, test.spec)
			f, err := Read(strings.NewReader(nodeJSON+set), ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			strategy := Kept(f.objects["statefulsets"][0]).(*appsv1.StatefulSet).Spec.UpdateStrategy
			got := string(strategy.Type)
			if got == "" {
				got = "unknown"
			}
			if rolling := strategy.RollingUpdate; rolling != nil {
				got += fmt.Sprint(" from ", *rolling.Partition)
			}
			if got != test.want {
				t.Errorf("it is %s, want %s", got, test.want)
			}
		})
	}
}
