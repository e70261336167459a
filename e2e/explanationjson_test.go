package e2e

import (
	"encoding/json"
	"testing"
)

// explanationList is the contract of explain -o json, as a script would read it.
type explanationList struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Items      []explanation `json:"items"`
}

type explanation struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Pod        struct {
		Namespace     string            `json:"namespace"`
		Name          string            `json:"name"`
		UID           string            `json:"uid"`
		Priority      int32             `json:"priority"`
		SchedulerName string            `json:"schedulerName"`
		Requests      map[string]string `json:"requests"`
	} `json:"pod"`
	Scheduler struct {
		Caveats []string `json:"caveats"`
	} `json:"scheduler"`
	Verdict          string `json:"verdict"`
	Summary          string `json:"summary"`
	SchedulerMessage string `json:"schedulerMessage"`
	Observed         struct {
		Message string `json:"message"`
		Agrees  *bool  `json:"agrees"`
	} `json:"observed"`
	Preemption struct {
		Possible bool     `json:"possible"`
		Node     string   `json:"node"`
		Victims  []victim `json:"victims"`
		Tie      []tied   `json:"tie"`
	} `json:"preemption"`
	Plugins []struct {
		Name    string `json:"name"`
		Rejects int    `json:"rejects"`
		Alone   int    `json:"only"`
	} `json:"plugins"`
	Groups []struct {
		Count      int         `json:"count"`
		Nodes      []string    `json:"nodes"`
		Fits       *bool       `json:"fits"`
		Rejections []rejection `json:"rejections"`
	} `json:"groups"`
	Nodes   []nodeResult `json:"nodes"`
	Fixes   []fix        `json:"fixes"`
	Unknown []struct {
		Resource string   `json:"resource"`
		Why      string   `json:"why"`
		Plugins  []string `json:"plugins"`
	} `json:"unknown"`
}

type fix struct {
	Title      string     `json:"title"`
	Kind       string     `json:"kind"`
	Command    string     `json:"command"`
	Verified   bool       `json:"verified"`
	Recreates  bool       `json:"recreates"`
	PodsPlaced int        `json:"podsPlaced"`
	Affects    []affected `json:"affects"`
	Remaining  []string   `json:"remaining"`
	Unless     []unless   `json:"unless"`
}

// unless is a pod on which it depends whether a fix works, or which it may harm.
type unless struct {
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	Who         string `json:"who"`
	How         string `json:"how"`
	Simulations int    `json:"simulations"`
	Of          int    `json:"of"`
}

type affected struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	How       string `json:"how"`
}

// victim is a pod that would have to go, and what becomes of it.
type victim struct {
	podName
	RescheduledOn string `json:"rescheduledOn"`
	Afterwards    string `json:"afterwards"`
}

// tied is a node that the scheduler may preempt on, and whom it would end there.
type tied struct {
	Node    string    `json:"node"`
	Victims []podName `json:"victims"`
	Alike   []podName `json:"alternatives"`
}

type podName struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

type nodeResult struct {
	Name       string      `json:"name"`
	Fits       *bool       `json:"fits"`
	Rejections []rejection `json:"rejections"`
}

type rejection struct {
	Plugin     string   `json:"plugin"`
	Reason     string   `json:"reason"`
	Resolvable bool     `json:"resolvable"`
	What       string   `json:"what"`
	Numbers    []number `json:"numbers"`
}

type number struct {
	Resource    string `json:"resource"`
	Wanted      string `json:"podRequests"`
	Requested   string `json:"requested"`
	Allocatable string `json:"allocatable"`
	Short       string `json:"lacks"`
}

// name is namespace/name.
func (e explanation) name() string { return e.Pod.Namespace + "/" + e.Pod.Name }

// victims names the pods that preemption would end on the node that it names.
func (e explanation) victims() []podName {
	var pods []podName
	for _, victim := range e.Preemption.Victims {
		pods = append(pods, victim.podName)
	}
	return pods
}

// explainAll runs explain --all -A -o json and reads the list, by pod. Exit
// codes 0 and 1 both mean that everything was found out.
func explainAll(t *testing.T, kubeconfig string, args ...string) map[string]explanation {
	t.Helper()
	args = append([]string{"explain", "--kubeconfig", kubeconfig, "--all", "-A", "-o", "json"}, args...)
	r := fathom(t, args...)
	if r.code != 0 && r.code != 1 {
		t.Fatalf("kubectl-fathom %q: exit code %d\n%s", args, r.code, r.stderr)
	}
	return readExplanations(t, r.stdout)
}

// readExplanations reads an ExplanationList.
func readExplanations(t *testing.T, stdout string) map[string]explanation {
	t.Helper()
	var list explanationList
	err := json.Unmarshal([]byte(stdout), &list)
	if err != nil {
		t.Fatalf("read the explanations: %v\n%.2000s", err, stdout)
	}
	if list.APIVersion != "fathom/v1beta1" || list.Kind != "ExplanationList" {
		t.Fatalf("the list says apiVersion %q, kind %q", list.APIVersion, list.Kind)
	}
	byName := make(map[string]explanation, len(list.Items))
	for _, item := range list.Items {
		byName[item.name()] = item
	}
	return byName
}

// readExplanation reads a single Explanation.
func readExplanation(t *testing.T, stdout string) explanation {
	t.Helper()
	var e explanation
	err := json.Unmarshal([]byte(stdout), &e)
	if err != nil {
		t.Fatalf("read the explanation: %v\n%.2000s", err, stdout)
	}
	return e
}
