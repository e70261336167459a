// Package recount works out, from what kubectl prints and without any code of
// the scheduler, which nodes its plugins refuse to a pod, and with which names
// and figures. It is slow and plain: its use is to disagree.
package recount

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Rejection is one plugin's no to one node, and what has to be told about it.
type Rejection struct {
	Plugin  string
	Names   []string            // of objects and labels
	Figures []resource.Quantity // all that the plugin compared
	Also    []resource.Quantity // what may be told beside them
	Words   []string            // values of selectors, which may look like figures
	Numbers []Number            // what is short, if anything is counted
}

// Number is the sum behind a shortage of one resource.
type Number struct {
	Resource                              string
	Wanted, Requested, Allocatable, Short resource.Quantity
}

// Rejections are the rejections of node to pod by the plugins that are counted
// again. A node that others are nominated to must have room with them and
// without them: they may need it, and they may never come.
func (s *State) Rejections(pod *corev1.Pod, node *corev1.Node) []Rejection {
	crowded := s.with(s.ahead(pod, node), node)
	var found []Rejection
	for _, check := range []func(*State, *corev1.Pod, *corev1.Node) *Rejection{
		(*State).nodeUnschedulable, (*State).nodeName, (*State).taints, (*State).nodeAffinity,
		(*State).ports, (*State).resources, (*State).spread, (*State).podAffinity,
		(*State).volumeRestrictions, (*State).volumeBinding, (*State).volumeZone, (*State).nodeVolumeLimits,
		(*State).dynamicResources, (*State).features,
	} {
		r := check(crowded, pod, node)
		if r == nil {
			r = check(s, pod, node)
		}
		if r != nil {
			found = append(found, *r)
		}
	}
	return found
}

// ahead are the pods that are nominated to node and that pod gives way to.
func (s *State) ahead(pod *corev1.Pod, node *corev1.Node) []*corev1.Pod {
	var found []*corev1.Pod
	for _, other := range s.nominated[node.Name] {
		if other.UID != pod.UID && priority(other) >= priority(pod) {
			found = append(found, other)
		}
	}
	return found
}

// with is the state with more pods on node.
func (s *State) with(pods []*corev1.Pod, node *corev1.Node) *State {
	if len(pods) == 0 {
		return s
	}
	crowded := *s
	crowded.byNode = maps.Clone(s.byNode)
	crowded.byNode[node.Name] = slices.Concat(s.byNode[node.Name], pods)
	return &crowded
}

func priority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// nodeUnschedulable refuses cordoned nodes to pods that do not tolerate the
// cordon's taint, set or not.
func (s *State) nodeUnschedulable(pod *corev1.Pod, node *corev1.Node) *Rejection {
	cordon := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	if !node.Spec.Unschedulable || tolerates(pod, cordon) {
		return nil
	}
	return &Rejection{Plugin: "NodeUnschedulable", Names: []string{"cordoned"}}
}

// nodeName refuses every node but the one that is asked for.
func (s *State) nodeName(pod *corev1.Pod, node *corev1.Node) *Rejection {
	if pod.Spec.NodeName == "" || pod.Spec.NodeName == node.Name {
		return nil
	}
	return &Rejection{Plugin: "NodeName", Names: []string{pod.Spec.NodeName}}
}

// taints refuses nodes with a taint that the pod does not tolerate.
func (s *State) taints(pod *corev1.Pod, node *corev1.Node) *Rejection {
	r := &Rejection{Plugin: "TaintToleration"}
	for _, taint := range node.Spec.Taints {
		if taint.Effect == corev1.TaintEffectPreferNoSchedule || tolerates(pod, taint) {
			continue
		}
		name := taint.Key + "=" + taint.Value + ":" + string(taint.Effect)
		if taint.Value == "" {
			name = taint.Key + ":" + string(taint.Effect)
		}
		r.Names = append(r.Names, name)
	}
	if r.Names == nil {
		return nil
	}
	return r
}

// tolerates tells whether one of the pod's tolerations covers the taint.
func tolerates(pod *corev1.Pod, taint corev1.Taint) bool {
	for _, t := range pod.Spec.Tolerations {
		key := t.Key == "" || t.Key == taint.Key
		effect := t.Effect == "" || t.Effect == taint.Effect
		value := t.Operator == corev1.TolerationOpExists || t.Value == taint.Value
		if key && effect && value {
			return true
		}
	}
	return false
}

// ports refuses nodes where a host port is taken, on the same address or where
// one of the two is on all addresses.
func (s *State) ports(pod *corev1.Pod, node *corev1.Node) *Rejection {
	r := &Rejection{Plugin: "NodePorts"}
	for _, wanted := range hostPorts(pod) {
		for _, holder := range s.byNode[node.Name] {
			for _, held := range hostPorts(holder) {
				if !conflict(wanted, held) {
					continue
				}
				r.Names = append(r.Names, holder.Namespace+"/"+holder.Name, fmt.Sprint(wanted.HostPort), string(wanted.Protocol))
			}
		}
	}
	if r.Names == nil {
		return nil
	}
	return r
}

// hostPorts are the ports of the host that a pod takes: those of its
// containers and sidecars.
func hostPorts(pod *corev1.Pod) []corev1.ContainerPort {
	var ports []corev1.ContainerPort
	add := func(c corev1.Container) {
		for _, port := range c.Ports {
			if port.HostPort > 0 {
				ports = append(ports, port)
			}
		}
	}
	for _, c := range pod.Spec.InitContainers {
		if sidecar(c) {
			add(c)
		}
	}
	for _, c := range pod.Spec.Containers {
		add(c)
	}
	return ports
}

// conflict tells whether two ports cannot be on one host.
func conflict(a, b corev1.ContainerPort) bool {
	all := func(ip string) bool { return ip == "" || ip == "0.0.0.0" }
	return a.HostPort == b.HostPort && a.Protocol == b.Protocol && (a.HostIP == b.HostIP || all(a.HostIP) || all(b.HostIP))
}

// sidecar is an init container that stays.
func sidecar(c corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}
