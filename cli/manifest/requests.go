package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1helpers "k8s.io/kubernetes/pkg/apis/core/v1/helper"

	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
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
	if err := checkRequests(amounts); err != nil {
		return nil, err
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
	found, err := podsOf(raw, Namespace{Name: namespace})
	switch {
	case err != nil:
		return nil, err
	case len(found) != 1:
		return nil, errors.New("it gives no pod") // never
	}
	return found[0].Pod, checkRequested(found[0].Pod)
}

// inBrackets is the resource that kube-apiserver's validation names as a field.
var inBrackets = regexp.MustCompile(`\[([^\]]*)\]$`)

// checkRequested is Validate in the words of a list of requests: the first fault, by the name
// of the resource.
func checkRequested(pod *corev1.Pod) error {
	err := Validate(pod)
	all, ok := err.(utilerrors.Aggregate) //nolint:errorlint // it is none of its own errors
	if !ok {
		return err
	}
	for _, err := range all.Errors() {
		wrong := new(field.Error)
		if !errors.As(err, &wrong) {
			continue
		}
		if of := inBrackets.FindStringSubmatch(wrong.Field); of != nil {
			return fmt.Errorf("%s: %s", of[1], wrong.Detail)
		}
		return errors.New(wrong.Detail)
	}
	return err
}

// checkRequests names the first resource whose amount is no quantity.
func checkRequests(amounts map[string]string) error {
	raw, err := json.Marshal(amounts)
	if err != nil {
		return err
	}
	list := reflect.TypeFor[corev1.ResourceList]()
	if err := snapshot.CheckAmounts(raw, list); err != nil {
		return err
	}
	if err := snapshot.WrongAmount(raw, list); err != nil {
		return fmt.Errorf("%w such as 500m or 4Gi", err)
	}
	return nil
}
