package fixes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	storageutil "k8s.io/kubernetes/pkg/apis/storage/util"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// readClaims are the plugins that reject a pod before any node is looked at where one of its claims does not exist.
var readClaims = []string{names.VolumeRestrictions, names.VolumeBinding, names.VolumeZone}

// missingClaim is what to do about claims of the pod that do not exist, for which the scheduler looks at no
// node; "" where it is not so. A claim that a controller makes for an ephemeral volume is none.
func missingClaim(q *plugins.Question, m *scheduler.Matrix) string {
	rejected := slices.ContainsFunc(readClaims, func(name string) bool {
		k := m.Profile.IndexOf(name)
		return k >= 0 && m.Answers[k].Pre != nil
	})
	if !rejected || !q.Listers.Readable("persistentvolumeclaims") {
		return ""
	}
	missing := slices.DeleteFunc(slices.Clone(plugins.PodClaims(q)), func(claim plugins.PodClaim) bool { return claim.Object != nil || claim.Ephemeral })
	switch owner := metav1.GetControllerOfNoCopy(q.Pod); {
	case len(missing) == 0:
		return ""
	case owner != nil && owner.Kind == "StatefulSet":
		return fmt.Sprintf("StatefulSet %s creates claims of its template itself: its events say why it has not.", owner.Name)
	case len(missing) > 1:
		return "Create the claims or correct their names: before that nothing else helps."
	}
	for _, other := range plugins.ClaimNames(q) {
		if misspelt(missing[0].ObjectName(), other) {
			return fmt.Sprintf("Claim %s exists: correct the name in the pod, or create the claim.", other)
		}
	}
	return "Create the claim or correct its name: before that nothing else helps."
}

// otherClasses give a claim that is not bound another StorageClass which waits for the pod's node: where its class
// does not exist, one that its name looks like a misspelling of or else the default one; where its class waits too,
// those of the same provisioner, first those with the most of the same parameters. What another class provisions at
// once is late for reasons that this one may share. A claim that names none, where there is no default one, may get any.
func otherClasses(q *plugins.Question, claim plugins.PodClaim) []option {
	if !q.Listers.Readable("storageclasses") || claim.Class() == "" && !lacksClass(q, claim) {
		return nil
	}
	own, _ := q.Listers.Classes.Get(claim.Class())
	atOnce := func(class *storagev1.StorageClass) bool {
		return class.VolumeBindingMode == nil || *class.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer
	}
	classes := slices.DeleteFunc(plugins.Everything(q.Listers.Classes), atOnce)
	switch {
	case claim.Class() == "":
		slices.SortFunc(classes, func(a, b *storagev1.StorageClass) int { return cmp.Compare(a.Name, b.Name) })
	case own == nil:
		classes = insteadOfMissing(claim.Class(), classes)
	case atOnce(own):
		return nil
	default:
		classes = slices.DeleteFunc(classes, func(class *storagev1.StorageClass) bool {
			return class.Name == own.Name || class.Provisioner != own.Provisioner
		})
		slices.SortFunc(classes, func(a, b *storagev1.StorageClass) int {
			return cmp.Or(cmp.Compare(sameParameters(b, own), sameParameters(a, own)), cmp.Compare(a.Name, b.Name))
		})
	}
	var options []option
	set := setOf(q.Pod, claim)
	for _, class := range classes[:min(len(classes), nearNodes)] {
		options = append(options, option{remedy.SetClaimClass{Claim: claim.Object, Class: class.Name, Set: set}})
	}
	return options
}

// lacksClass says whether a claim is to have the default StorageClass and there is none: kube-apiserver lets it get a class
// then.
func lacksClass(q *plugins.Question, claim plugins.PodClaim) bool {
	return claim.Object.Spec.StorageClassName == nil && claim.Class() == "" &&
		!slices.ContainsFunc(plugins.Everything(q.Listers.Classes), func(class *storagev1.StorageClass) bool { return storageutil.IsDefaultAnnotation(class.ObjectMeta) })
}

// setOf is the StatefulSet of whose template a claim of its pod was made; "" where it was not.
func setOf(pod *corev1.Pod, claim plugins.PodClaim) string {
	owner := metav1.GetControllerOfNoCopy(pod)
	made := slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim.ObjectName() && claim.ObjectName() == v.Name+"-"+pod.Name
	})
	if owner == nil || owner.Kind != "StatefulSet" || !made {
		return ""
	}
	return owner.Name
}

// insteadOfMissing are of some classes those that the name of one that does not exist looks like a misspelling of,
// or else the default one.
func insteadOfMissing(name string, classes []*storagev1.StorageClass) []*storagev1.StorageClass {
	var alike, byDefault []*storagev1.StorageClass
	for _, class := range classes {
		if misspelt(name, class.Name) {
			alike = append(alike, class)
		}
		if storageutil.IsDefaultAnnotation(class.ObjectMeta) {
			byDefault = append(byDefault, class)
		}
	}
	if len(alike) == 0 {
		return byDefault
	}
	return alike
}

// sameParameters counts the parameters in which classes agree.
func sameParameters(a, b *storagev1.StorageClass) (count int) {
	for key, value := range a.Parameters {
		if other, has := b.Parameters[key]; has && other == value {
			count++
		}
	}
	return count
}

// lostHolder is what to do about a pod on a lost node that holds a ReadWriteOncePod claim of the pod; "" where it
// is not so. Only a person can know that the machine no longer writes (Kubernetes' documentation, Non-graceful
// node shutdown handling).
func lostHolder(q *plugins.Question, m *scheduler.Matrix) string {
	k := m.Profile.IndexOf(names.VolumeRestrictions)
	holder, node := plugins.LostHolder(q)
	if holder == nil || k < 0 || !slices.ContainsFunc(m.Answers[k].Column, func(status *fwk.Status) bool { return status != nil }) {
		return ""
	}
	return fmt.Sprintf("Pod %s is Terminating on %s, which is NotReady, and keeps the claim: start the node again, or, once its machine is certainly off, taint it %s=nodeshutdown:NoExecute. Its pods are then deleted and their volumes detached.",
		plugins.FullName(holder), node, corev1.TaintNodeOutOfService)
}

// claimsAgainst notes why quotas reject the claim of another class that replaces one. The old one still counts in
// them when kube-apiserver is asked.
func claimsAgainst(ctx context.Context, f *Search, fix *Attempt) error {
	if f.Admission == nil {
		return nil
	}
	for _, step := range fix.Remedies {
		claim, ok := step.(remedy.SetClaimClass)
		if !ok {
			continue
		}
		if f.Admission.Quotas == nil {
			noteUnread(fix, "a ResourceQuota", "the new claim", "quotas cannot be read here")
			continue
		}
		quotas, err := f.Admission.Quotas(ctx, claim.Claim.Namespace)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			noteUnread(fix, "a ResourceQuota", "the new claim", err.Error())
			continue
		}
		if claim.Gives() { // it counts already in those that count claims of all classes
			quotas = slices.DeleteFunc(slices.Clone(quotas), func(quota corev1.ResourceQuota) bool { return !countsClass(&quota, claim.Class) })
		}
		if rejections := admission.ClaimRejections(claim.Recreated(), quotas); len(rejections) > 0 {
			fix.Remaining = append(fix.Remaining, "the new claim may be rejected: "+rejections[0].What)
		}
	}
	return nil
}

// countsClass says whether a quota counts the claims of a StorageClass.
func countsClass(quota *corev1.ResourceQuota, class string) bool {
	for name := range quota.Spec.Hard {
		if strings.HasPrefix(string(name), class+".storageclass.storage.k8s.io/") {
			return true
		}
	}
	return false
}
