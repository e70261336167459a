package named

import (
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

// resources are the resources of Kubernetes that are neither pods nor workloads, by the
// words that kubectl takes for each beside its own name.
var resources = map[string][]string{
	"nodes": {"node", "no"}, "services": {"service", "svc"}, "namespaces": {"namespace", "ns"},
	"configmaps": {"configmap", "cm"}, "secrets": {"secret"}, "serviceaccounts": {"serviceaccount", "sa"},
	"endpoints": {"ep"}, "endpointslices": {"endpointslice"}, "events": {"event", "ev"},
	"persistentvolumeclaims": {"persistentvolumeclaim", "pvc"}, "persistentvolumes": {"persistentvolume", "pv"},
	"storageclasses": {"storageclass", "sc"}, "volumeattachments": {"volumeattachment"}, "csinodes": {"csinode"}, "csidrivers": {"csidriver"},
	"resourceclaims": {"resourceclaim"}, "resourceslices": {"resourceslice"}, "deviceclasses": {"deviceclass"},
	"resourcequotas": {"resourcequota", "quota"}, "limitranges": {"limitrange", "limits"},
	"priorityclasses": {"priorityclass", "pc"}, "runtimeclasses": {"runtimeclass"},
	"poddisruptionbudgets": {"poddisruptionbudget", "pdb"}, "horizontalpodautoscalers": {"horizontalpodautoscaler", "hpa"},
	"ingresses": {"ingress", "ing"}, "networkpolicies": {"networkpolicy", "netpol"}, "leases": {"lease"},
	"roles": {"role"}, "rolebindings": {"rolebinding"}, "clusterroles": {"clusterrole"}, "clusterrolebindings": {"clusterrolebinding"},
	"customresourcedefinitions": {"customresourcedefinition", "crd", "crds"},
}

// resourceOf is the resource for each of these words.
var resourceOf = func() map[string]string {
	all := map[string]string{}
	for resource, words := range resources {
		all[resource] = resource
		for _, word := range words {
			all[word] = resource
		}
	}
	return all
}()

// RejectResource rejects an argument RESOURCE/NAME whose resource is known and is not pods, nor for
// explain a workload; nil for all others.
func RejectResource(verb, argument string) error {
	word, _, cut := strings.Cut(argument, "/")
	word, _, _ = strings.Cut(strings.ToLower(word), ".") // with its group, as kubectl reads it
	resource := resourceOf[word]
	if kind := WorkloadKind(word); kind != "" && verb != "explain" {
		resource = ResourceOf(kind)
	}
	switch {
	case !cut || resource == "":
		return nil
	case verb != "explain":
		return exit.Usagef("%s %s: %[1]s takes pods, not %[3]s", verb, argument, resource)
	case resource == "nodes":
		return exit.Usagef("%s %s: it takes pods and workloads, not nodes; x on a node in the dashboard says why pods do not fit it", verb, argument)
	}
	return exit.Usagef("%s %s: it takes pods and workloads, not %s", verb, argument, resource)
}
