package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/kubernetes/pkg/apis/core/v1/helper"
)

// Requesting is a pod of one container with requests such as "cpu=2,memory=4Gi". It
// conforms to the Pod Security level restricted, so that only its requests count.
func Requesting(requests, namespace string) (*corev1.Pod, error) {
	amounts, limits := map[string]string{}, map[string]string{}
	for part := range strings.SplitSeq(requests, ",") {
		name, amount, ok := strings.Cut(part, "=")
		name, amount = strings.TrimSpace(name), strings.TrimSpace(amount)
		if !ok || name == "" || amount == "" {
			return nil, fmt.Errorf("%q: write RESOURCE=AMOUNT, as in cpu=2,memory=4Gi", part)
		}
		if amounts[name] != "" {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		amounts[name] = amount
		resource := corev1.ResourceName(name)
		if corev1helpers.IsExtendedResourceName(resource) || corev1helpers.IsHugePageResourceName(resource) {
			limits[name] = amount // the API server wants both to be equal
		}
	}
	raw, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"generateName": "fit-"},
		"spec": map[string]any{
			"securityContext": map[string]any{"runAsNonRoot": true, "seccompProfile": map[string]any{"type": "RuntimeDefault"}},
			"containers": []any{map[string]any{
				"name": "app", "image": "registry.k8s.io/pause:3.10",
				"resources":       map[string]any{"requests": amounts, "limits": limits},
				"securityContext": map[string]any{"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []string{"ALL"}}},
			}},
		},
	})
	if err != nil {
		return nil, err
	}
	found, err := wishesOf(raw, namespace)
	switch {
	case err != nil:
		return nil, err
	case len(found) != 1:
		return nil, errors.New("it gives no pod") // never
	}
	return found[0].Pod, nil
}
