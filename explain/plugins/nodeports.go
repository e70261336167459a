package plugins

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// nodePorts names every host port that is in use and the pod that uses it.
var nodePorts = explainer{
	Shape: func(q *Question, r NodeRejection) string {
		var all []string
		for _, port := range TakenPorts(q.Pod, r.Node) {
			all = append(all, PortWord(port))
		}
		return strings.Join(all, ",")
	},
	Words: portWords,
}

// TakenPorts are the host ports of pod that are in use on node. Two
// containers of pod with the same port are no conflict to the scheduler.
func TakenPorts(pod *corev1.Pod, node fwk.NodeInfo) []corev1.ContainerPort {
	if node == nil {
		return nil
	}
	var taken []corev1.ContainerPort
	for _, port := range util.GetHostPorts(pod) {
		seen := func(other corev1.ContainerPort) bool { return PortText(other) == PortText(port) }
		if node.GetUsedPorts().CheckConflict(port.HostIP, string(port.Protocol), port.HostPort) && !slices.ContainsFunc(taken, seen) {
			taken = append(taken, port)
		}
	}
	return taken
}

// Holding is a pod that uses the host port.
type Holding struct {
	Pod  *corev1.Pod
	port corev1.ContainerPort
}

// Holders are the pods on node whose host ports conflict with port.
func Holders(node fwk.NodeInfo, port corev1.ContainerPort) []Holding {
	var found []Holding
	for _, info := range node.GetPods() {
		for _, held := range util.GetHostPorts(info.GetPod()) {
			one := fwk.HostPortInfo{}
			one.Add(held.HostIP, string(held.Protocol), held.HostPort)
			if one.CheckConflict(port.HostIP, string(port.Protocol), port.HostPort) {
				found = append(found, Holding{info.GetPod(), held})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Holding) int { return strings.Compare(FullName(a.Pod), FullName(b.Pod)) })
	return found
}

func portWords(q *Question, rs []NodeRejection) Words {
	taken := TakenPorts(q.Pod, rs[0].Node)
	if len(taken) == 0 {
		return reasonOnly(rs)
	}
	w := Words{What: sentences(rs, func(r NodeRejection) string { return portSentence(q.Pod, r.Node) })}
	var ports, by []string
	for _, port := range taken {
		ports = append(ports, PortWord(port))
	}
	for _, r := range rs[:min(len(rs), grammar.Many)] {
		var names []string
		for _, port := range TakenPorts(q.Pod, r.Node) {
			for _, holder := range Holders(r.Node, port) {
				if name := FullName(holder.Pod); !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		by = append(by, grammar.List(names, grammar.Few))
	}
	w.Short = "host port " + grammar.List(ports, grammar.Few) + " in use by " + by[0]
	if len(rs) == 1 {
		return w
	}
	w.Short = "host port " + grammar.List(ports, grammar.Few) + " in use on each" + byWorkload(q.Pod, rs)
	said := []string{"host port " + grammar.List(ports, grammar.Few) + " in use"}
	for i, names := range by {
		said = append(said, fmt.Sprintf("%s: by %s", rs[i].Name(), names))
		w.Wider = append(w.Wider, strings.Join(said, "; "))
	}
	return w
}

// mostHeld is on how many nodes at most it is looked at whose pods use the ports.
const mostHeld = 200

// byWorkload names the workload whose pods use the host ports on each of some nodes: " by sys/agent"; ""
// where they are of several.
func byWorkload(pod *corev1.Pod, rs []NodeRejection) string {
	if len(rs) > mostHeld {
		return ""
	}
	by := ""
	for _, r := range rs {
		for _, port := range TakenPorts(pod, r.Node) {
			for _, holder := range Holders(r.Node, port) {
				one := workloadOf(holder.Pod)
				if by != "" && by != one {
					return ""
				}
				by = one
			}
		}
	}
	if by == "" {
		return ""
	}
	return " by " + by
}

// portSentence names each port that is in use and the pods that use it.
func portSentence(pod *corev1.Pod, node fwk.NodeInfo) string {
	var all []string
	for _, port := range TakenPorts(pod, node) {
		var by []string
		for _, holder := range Holders(node, port) {
			said := FullName(holder.Pod)
			if PortText(holder.port) != PortText(port) {
				said += " as " + PortText(holder.port)
			}
			by = append(by, said)
		}
		all = append(all, "host port "+PortText(port)+" is in use by "+grammar.List(by, grammar.Many))
	}
	return strings.Join(all, "; ")
}

// PortText is hostIP:port/protocol, with what an empty field stands for.
func PortText(port corev1.ContainerPort) string {
	ip, protocol := port.HostIP, port.Protocol
	if ip == "" {
		ip = fwk.DefaultBindAllHostIP
	}
	if protocol == "" {
		protocol = corev1.ProtocolTCP
	}
	return net.JoinHostPort(ip, strconv.Itoa(int(port.HostPort))) + "/" + string(protocol)
}

// PortWord leaves out the address where it is every one of them: "80/TCP".
func PortWord(port corev1.ContainerPort) string {
	return strings.TrimPrefix(PortText(port), fwk.DefaultBindAllHostIP+":")
}
