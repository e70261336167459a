package model

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// First is the pod that has been pending longest; its explanation is that of all.
func (k *EquivalenceClass) First() *Pod { return k.Pods[0] }

// Namespace is the one that all its pods are in.
func (k *EquivalenceClass) Namespace() string { return k.First().Object.Namespace }

// Name is the workload's where several pods wait or none exists, else the pod's.
func (k *EquivalenceClass) Name() string {
	if owner := k.First().Owner; len(k.Pods) > 1 && owner.Name != "" {
		return owner.Name
	}
	return k.First().Name()
}

// FullName is namespace/name.
func (k *EquivalenceClass) FullName() string { return k.Namespace() + "/" + k.Name() }

// Since is when the oldest of the pods became pending.
func (k *EquivalenceClass) Since() time.Time { return k.First().Since() }

// Priority is the same for all its pods.
func (k *EquivalenceClass) Priority() int32 { return k.First().Priority() }

// ShortQOS are the QoS classes in words of at most five letters.
var ShortQOS = map[corev1.PodQOSClass][]string{
	corev1.PodQOSGuaranteed: {"Guar"},
	corev1.PodQOSBurstable:  {"Burst"},
	corev1.PodQOSBestEffort: {"Best"},
}

// ShortQOS is the QoS class as the narrow column shows it.
func (p *Pod) ShortQOS() string {
	if short := ShortQOS[p.QOS]; short != nil {
		return short[0]
	}
	return string(p.QOS)
}

// String is the workload as kubectl names it, "deployment/checkout"; "" without.
func (o Owner) String() string { return string(o.Append(nil)) }

// Append adds what String gives to dst.
func (o *Owner) Append(dst []byte) []byte {
	if o.Name == "" {
		return dst
	}
	for i := range len(o.Kind) {
		dst = append(dst, AsLower(o.Kind[i]))
	}
	return append(append(dst, '/'), o.Name...)
}

// KindWord is the workload's kind; a pod without one stands for itself.
func (o Owner) KindWord() string { return cmp.Or(o.Kind, "Pod") }

// TaintTexts is everything that a taint of the node may be called.
func (n *Node) TaintTexts() []string {
	var texts []string
	for _, taint := range n.SortedTaints() {
		if n.isCordon(taint) {
			continue
		}
		short := taintKey(taint)
		texts = append(texts, taint.ToString(), short+":"+string(taint.Effect), short, taint.Key)
	}
	return texts
}

// LabelTexts is everything that a label may be called: name=value, and its name.
func LabelTexts(labels map[string]string) []string {
	texts := make([]string, 0, 2*len(labels))
	for name, value := range labels {
		texts = append(texts, name+"="+value, name)
	}
	slices.Sort(texts)
	return texts
}

// AsLower is an ASCII letter in lower case; any other byte as it is.
func AsLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
