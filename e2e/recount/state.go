package recount

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// Kinds are what Read wants to see, as kubectl get takes them.
const Kinds = "namespaces,nodes,pods,persistentvolumes,persistentvolumeclaims,storageclasses,csinodes,csidrivers," +
	"csistoragecapacities,volumeattachments,resourceclaims,resourceslices,deviceclasses,devicetaintrules"

// State is a cluster as kubectl prints it.
type State struct {
	Nodes      []corev1.Node
	Pods       []corev1.Pod
	namespaces map[string]map[string]string // name → labels
	byNode     map[string][]*corev1.Pod     // those that count: bound and not finished
	nominated  map[string][]*corev1.Pod     // by the node that they are to have

	volumes    map[string]*corev1.PersistentVolume
	claims     map[string]*corev1.PersistentVolumeClaim // by namespace/name
	classes    map[string]*storagev1.StorageClass
	csiNodes   map[string]*storagev1.CSINode
	drivers    map[string]*storagev1.CSIDriver
	capacities []storagev1.CSIStorageCapacity
	attached   []storagev1.VolumeAttachment

	deviceClasses  []resourcev1.DeviceClass
	resourceClaims []resourcev1.ResourceClaim
	slices         []resourcev1.ResourceSlice
	taintRules     []resourcev1.DeviceTaintRule
	holders        map[string]string // device → the claim that it is allocated to
}

// Read reads the output of kubectl get -A -o json of the Kinds.
func Read(data []byte) (*State, error) {
	var list struct{ Items []json.RawMessage }
	err := json.Unmarshal(data, &list)
	if err != nil {
		return nil, fmt.Errorf("read kubectl's list: %w", err)
	}
	s := &State{
		namespaces: map[string]map[string]string{}, byNode: map[string][]*corev1.Pod{}, nominated: map[string][]*corev1.Pod{},
		volumes: map[string]*corev1.PersistentVolume{}, claims: map[string]*corev1.PersistentVolumeClaim{},
		classes: map[string]*storagev1.StorageClass{}, csiNodes: map[string]*storagev1.CSINode{}, drivers: map[string]*storagev1.CSIDriver{},
		holders: map[string]string{},
	}
	for _, item := range list.Items {
		err = s.add(item)
		if err != nil {
			return nil, err
		}
	}
	s.index()
	return s, nil
}

// index sorts pods by their nodes and devices by their holders.
func (s *State) index() {
	for i := range s.Pods {
		pod := &s.Pods[i]
		switch {
		case pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
		case pod.Spec.NodeName != "":
			s.byNode[pod.Spec.NodeName] = append(s.byNode[pod.Spec.NodeName], pod)
		case pod.Status.NominatedNodeName != "":
			s.nominated[pod.Status.NominatedNodeName] = append(s.nominated[pod.Status.NominatedNodeName], pod)
		}
	}
	for _, claim := range s.resourceClaims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, d := range claim.Status.Allocation.Devices.Results {
			s.holders[d.Driver+"/"+d.Pool+"/"+d.Device] = claim.Namespace + "/" + claim.Name
		}
	}
}

// add reads one object.
func (s *State) add(item json.RawMessage) error {
	var kind struct {
		Kind     string
		Metadata struct{ Namespace, Name string }
	}
	err := json.Unmarshal(item, &kind)
	if err != nil {
		return fmt.Errorf("read an object: %w", err)
	}
	name := kind.Metadata.Name
	switch kind.Kind {
	case "Node":
		return read(item, &s.Nodes)
	case "Pod":
		return read(item, &s.Pods)
	case "Namespace":
		var namespaces []corev1.Namespace
		err = read(item, &namespaces)
		if err == nil {
			s.namespaces[name] = namespaces[0].Labels
		}
		return err
	case "PersistentVolume":
		return put(item, s.volumes, name)
	case "PersistentVolumeClaim":
		return put(item, s.claims, kind.Metadata.Namespace+"/"+name)
	case "StorageClass":
		return put(item, s.classes, name)
	case "CSINode":
		return put(item, s.csiNodes, name)
	case "CSIDriver":
		return put(item, s.drivers, name)
	}
	return s.addCounted(item, kind.Kind)
}

// addCounted reads an object of which there are lists.
func (s *State) addCounted(item json.RawMessage, kind string) error {
	switch kind {
	case "CSIStorageCapacity":
		return read(item, &s.capacities)
	case "VolumeAttachment":
		return read(item, &s.attached)
	case "DeviceClass":
		return read(item, &s.deviceClasses)
	case "ResourceClaim":
		return read(item, &s.resourceClaims)
	case "ResourceSlice":
		return read(item, &s.slices)
	case "DeviceTaintRule":
		return read(item, &s.taintRules)
	}
	return fmt.Errorf("read an object: kind %s is not asked for", kind)
}

// read appends the object to list.
func read[T any](item json.RawMessage, list *[]T) error {
	var object T
	err := json.Unmarshal(item, &object)
	if err != nil {
		return fmt.Errorf("read a %T: %w", object, err)
	}
	*list = append(*list, object)
	return nil
}

// put notes the object under its name.
func put[T any](item json.RawMessage, all map[string]*T, name string) error {
	var list []T
	err := read(item, &list)
	if err == nil {
		all[name] = &list[0]
	}
	return err
}
