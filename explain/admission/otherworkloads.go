package admission

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// mostUnless is how many other workloads are named that may use a raised quota first.
const mostUnless = 3

// missingPods are equal pods that a controller of the namespace could not create.
type missingPods struct {
	pod   *corev1.Pod // with what LimitRanges fill in
	count int
}

// mostCreated is for how many of another controller's pods quotas are asked one by one, and
// mostOthers how many controllers are asked about.
const mostCreated, mostOthers = 500, 20

// otherMissing are the missing pods of the namespace's other controllers that only quotas reject as
// far as is known. Which controller creates its pods first is not known: each tries again after a
// time of its own.
func (j *Judgement) otherMissing(all []*model.NotCreated) (others []missingPods) {
	for _, r := range all {
		if r.Pod.Namespace != j.Pod.Namespace || r.Pod.UID == j.Pod.UID || r.Queue != "" {
			continue
		}
		pod := r.Pod.DeepCopy()
		if len(others) == mostOthers {
			break
		}
		if limits, err := ApplyLimitRanges(pod, j.ranges); err != nil || len(limits) > 0 {
			continue
		}
		if security, err := SecurityRejections(pod, j.labels, j.version); err != nil || len(security) > 0 {
			continue
		}
		if len(quotasRefusing(pod, j.existing)) > 0 { // else something else rejects it, such as a webhook
			others = append(others, missingPods{pod, min(r.Missing, mostCreated)})
		}
	}
	return others
}

// first are those of the other missing pods that leave too little of the raised quotas where they
// are created first: each of them alone, or else all of them together.
func (j *Judgement) first(raises []raise, others []missingPods) (takers []missingPods) {
	leaves := func(quotas []corev1.ResourceQuota) bool {
		charge(quotas, j.Pod, j.refused.Missing-1)
		return quotaAdmits(j.Pod, quotas) == nil
	}
	together, some := raised(j.existing, raises), []missingPods{}
	for _, other := range others {
		alone := raised(j.existing, raises)
		if created(other.pod, alone, other.count) > 0 && !leaves(alone) {
			takers = append(takers, other)
		}
		if created(other.pod, together, other.count) > 0 {
			some = append(some, other)
		}
	}
	if len(takers) == 0 && !leaves(together) {
		return some
	}
	return takers
}

// unless names whose pods may be created first, and says in the last of few how many there are beside.
func unless(first []missingPods) (named []report.Unless) {
	for i, other := range first[:min(len(first), mostUnless)] {
		owner := model.NewPod(other.pod).Owner
		named = append(named, report.Unless{
			Namespace: other.pod.Namespace, Name: owner.Name, Simulations: 1, Of: 1,
			Who: grammar.Agree(other.count, "the missing pod", "the missing pods") + " of " + owner.Name, How: "may be created first",
		})
		if rest := len(first) - mostUnless; i == mostUnless-1 && rest > 0 {
			named[i].Who += " and of " + grammar.Plural(rest, "other workload")
		}
	}
	return named
}

// namesOf names the controllers of the pods, or counts them where they are many.
func namesOf(others []missingPods) string {
	if len(others) > 1 {
		return grammar.Plural(len(others), "other workload")
	}
	return model.NewPod(others[0].pod).Owner.Name
}

// alsoFor names the missing pods of other controllers that a raised quota is enough for too.
func alsoFor(others []missingPods) (affected []report.Affected) {
	for _, other := range others {
		owner := model.NewPod(other.pod).Owner
		affected = append(affected, report.Affected{
			Kind: owner.Kind, Namespace: other.pod.Namespace, Name: owner.Name,
			How: "its " + grammar.Agree(other.count, "missing pod is", "missing pods are") + " created too",
		})
	}
	return affected
}
