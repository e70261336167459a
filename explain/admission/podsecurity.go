package admission

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// securityPlugin is the admission plugin that enforces Pod Security standards.
const securityPlugin = "PodSecurity"

// Enforces reports whether the labels of a namespace enforce a Pod Security level; true also if
// they are not valid.
func Enforces(labels map[string]string) bool {
	level, labeled := labels[api.EnforceLevelLabel]
	return labeled && level != string(api.LevelPrivileged)
}

// SecurityRejections asks the API server's own checks whether the level that the
// labels of pod's namespace enforce lets it be created. Where they enforce none,
// the API server's configuration may, which nobody can read. All fields of the pod have to be there.
func SecurityRejections(pod *corev1.Pod, labels map[string]string, cluster string) ([]report.Rejection, error) {
	privileged := api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	rules, errs := api.PolicyToEvaluate(labels, api.Policy{Enforce: privileged, Audit: privileged, Warn: privileged})
	if err := errs.ToAggregate(); err != nil {
		return nil, fmt.Errorf("read Pod Security labels of namespace %s: %w", pod.Namespace, err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), releaseOf(cluster))
	if err != nil {
		return nil, fmt.Errorf("set up Pod Security checks: %w", err)
	}
	level := string(rules.Enforce.Level)
	if !rules.Enforce.Latest() {
		level = rules.Enforce.String()
	}
	var rejections []report.Rejection
	for _, check := range evaluator.EvaluatePod(rules.Enforce, &pod.ObjectMeta, &pod.Spec) {
		if check.Allowed {
			continue
		}
		why := check.ForbiddenReason
		if check.ForbiddenDetail != "" {
			why += " (" + check.ForbiddenDetail + ")"
		}
		rejections = append(rejections, report.Rejection{
			Plugin:  securityPlugin,
			Reason:  check.ForbiddenReason,
			What:    fmt.Sprintf("namespace %s enforces Pod Security level %s, which forbids %s", pod.Namespace, level, why),
			Numbers: []report.Number{},
			Short:   fmt.Sprintf("Pod Security %s forbids %s", level, check.ForbiddenReason),
		})
	}
	return rejections, nil
}

// releaseOf is the release that a version is of, whose checks count as the latest;
// nil where it is not known.
func releaseOf(version string) *api.Version {
	parsed, err := utilversion.ParseGeneric(version)
	if err != nil {
		return nil
	}
	minor := api.MajorMinorVersion(int(parsed.Major()), int(parsed.Minor()))
	return &minor
}
