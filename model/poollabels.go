package model

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// poolLabels hold the name of a node's pool: those of providers and provisioners,
// then the plain ones that people set.
var poolLabels = []string{
	"karpenter.sh/nodepool",
	"cloud.google.com/gke-nodepool",
	"eks.amazonaws.com/nodegroup",
	"kubernetes.azure.com/agentpool",
	"agentpool",
	"alpha.eksctl.io/nodegroup-name",
	"karpenter.sh/provisioner-name",
	"kops.k8s.io/instancegroup",
	"doks.digitalocean.com/node-pool",
	"k8s.scaleway.com/pool-name",
	"lke.linode.com/pool-id",
	"vke.vultr.com/node-pool",
	"alibabacloud.com/nodepool-id",
	"ibm-cloud.kubernetes.io/worker-pool-name",
	"kubernetes.civo.com/civo-node-pool",
	"worker.gardener.cloud/pool",
	"hcloud/node-group",
	"node.exoscale.net/nodepool-id",
	"magnum.openstack.org/nodegroup",
	"cluster.x-k8s.io/pool-name",
	"cluster.x-k8s.io/deployment-name",
	"topology.cluster.x-k8s.io/deployment-name",
	"pool",
	"nodepool",
	"node-pool",
	"nodegroup",
	"node-group",
}

// poolNames are the names of labels that hold the pool in the domain of a company: "node.example.com/pool".
var poolNames = []string{
	"pool", "pool-name", "nodepool", "nodepool-name", "node-pool", "node-pool-name", "nodegroup", "nodegroup-name",
	"node-group", "node-group-name", "agentpool", "instancegroup", "instance-group", "worker-pool",
}

// openShiftLabel is on every node of OpenShift, whose MachineConfigPools are called
// as the roles that they select.
const openShiftLabel = "node.openshift.io/os_id"

// PoolOf is the name of the node's pool: by own, a label that the user named, or
// else by the known ones, or by one that is called so in any domain; "" where it has none of them.
func PoolOf(node *corev1.Node, own string) string {
	if pool := node.Labels[own]; pool != "" {
		return pool
	}
	for _, label := range poolLabels {
		if pool := node.Labels[label]; pool != "" {
			return pool
		}
	}
	if pool := poolByName(node.Labels); pool != "" {
		return pool
	}
	if _, ok := node.Labels[openShiftLabel]; ok {
		return machineConfigPool(rolesOf(node))
	}
	return ""
}

// poolByName is the value of the label that is called as a pool, whatever its domain: of several the
// first by key; "" where there is none.
func poolByName(labels map[string]string) (pool string) {
	first := ""
	for key, value := range labels {
		_, name, cut := strings.Cut(key, "/")
		if cut && value != "" && slices.Contains(poolNames, name) && (first == "" || key < first) {
			first, pool = key, value
		}
	}
	return pool
}

// machineConfigPool is the pool of a node with these roles: a custom one goes
// before worker, which its nodes are too.
func machineConfigPool(roles []string) string {
	for _, role := range roles {
		if role != "worker" && role != "control-plane" && role != "master" {
			return role
		}
	}
	for _, role := range []string{"master", "worker"} {
		if slices.Contains(roles, role) {
			return role
		}
	}
	return ""
}
