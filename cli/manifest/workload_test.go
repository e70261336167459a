package manifest

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestWorkloadsThatTheAPIServerRejectsAreInvalid(t *testing.T) {
	const pod = "{containers: [{name: app, image: app}]}"
	for _, test := range []struct{ workload, want string }{
		{"{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: " + pod + "}}}", ""},
		{
			"{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: -3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: " + pod + "}}}",
			"Deployment web: spec.replicas: Invalid value: -3: must be greater than or equal to 0",
		},
		{
			"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: other}}, spec: " + pod + "}}}",
			"StatefulSet web: spec.template.metadata.labels: Invalid value: {\"app\":\"other\"}: `selector` does not match template `labels`",
		},
		{
			"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: app, image: app}]}}}}",
			`DaemonSet web: spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`,
		},
		{"{apiVersion: apps/v1, kind: ReplicaSet, metadata: {generateName: web-}, spec: {template: {metadata: {labels: {app: web}}, spec: " + pod + "}}}", "ReplicaSet web-: "},
		{"{apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: app, image: app}]}}}}", ""},
		{"{apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {template: {spec: " + pod + "}}}", `Job once: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`},
		{"{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {schedule: x, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: app, image: app}]}}}}}}", "CronJob nightly: spec.schedule: Invalid value"},
		{"{apiVersion: v1, kind: ReplicationController, metadata: {name: web}, spec: {replicas: -1, selector: {app: web}, template: {metadata: {labels: {app: web}}, spec: " + pod + "}}}", "ReplicationController web: spec.replicas"},
	} {
		_, err := podsIn([]byte(test.workload), Namespace{Name: metav1.NamespaceDefault})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if test.want == "" && got != "" || !strings.HasPrefix(got, test.want) || strings.Contains(got, "\n") {
			t.Errorf("%s\n got %q\nwant %q", test.workload, got, test.want)
		}
	}
}
