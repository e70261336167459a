package scheduler

import (
	"errors"
	"testing"
)

// A configuration can be used, or it is said why not; nothing panics.
func FuzzConfiguration(f *testing.F) {
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	for _, rest := range []string{
		"", "parallelism: 4\npercentageOfNodesToScore: 50\npodMaxBackoffSeconds: 20\nleaderElection: {leaderElect: true, resourceName: mine}\n",
		"profiles:\n- schedulerName: a\n  plugins:\n    filter:\n      enabled: [{name: Tenancy}]\n      disabled: [{name: '*'}]\n    multiPoint: {enabled: [{name: NodeName, weight: 3}]}\n",
		"profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}, ignoredResources: [example.com/foo]}\n",
		"profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args: {defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}\n",
		"profiles:\n- pluginConfig:\n  - name: NodeAffinity\n    args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b]}]}]}}}\n",
		"extenders:\n- {urlPrefix: 'https://quota.example.com', filterVerb: filter, weight: 1}\n",
	} {
		f.Add([]byte(head + rest))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c := &Configuration{Data: text, Source: "file"}
		if err := c.Check(); err != nil && !errors.Is(err, ErrConfiguration) {
			t.Errorf("%v: of no kind that is known", err)
		}
		c.Alive()
	})
}
