package plugins

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	csitranslation "k8s.io/csi-translation-lib"
	csiplugins "k8s.io/csi-translation-lib/plugins"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// nodeVolumeLimits names the CSI driver whose limit of attached volumes a node
// has reached, with the count behind it.
var nodeVolumeLimits = explainer{
	Shape:   func(q *Question, r NodeRejection) string { return reasonShape(LimitReasons(q, r)) },
	Figures: limitFigures,
	Words: func(q *Question, rs []NodeRejection) Words {
		return reasonWords(rs, func(r NodeRejection) []Reason { return LimitReasons(q, r) })
	},
}

// attachLimit is what a node's limit for a driver is called as a resource.
const attachLimit = "attachable-volumes-csi-"

// limitFigures are the limits that the pod would exceed. The pod cannot be
// counted where one of its claims does not exist.
func limitFigures(q *Question, r NodeRejection) []Figure {
	if r.Node == nil || len(absentClaims(q, true, "")) > 0 {
		return nil
	}
	return attachmentsOf(q).count(q, r.Node).over
}

// LimitReasons are, as the plugin meets them: claims that do not exist, drivers
// that are not there, limits.
func LimitReasons(q *Question, r NodeRejection) []Reason {
	if r.Node == nil {
		return nil
	}
	if absent := absentClaims(q, true, ", so the pod's volumes cannot be counted"); len(absent) > 0 {
		return absent
	}
	counted := attachmentsOf(q).count(q, r.Node)
	var reasons []Reason
	for _, driver := range counted.absent {
		reasons = append(reasons, newReason("no CSI driver "+driver, func() string {
			return fmt.Sprintf("the node has no CSI driver %s, which %s needs", driver, grammar.List(counted.claims[driver], grammar.Many))
		}))
	}
	for _, f := range counted.over {
		driver := strings.TrimPrefix(string(f.Resource), attachLimit)
		reasons = append(reasons, Reason{
			kind:  "attach limit of " + driver + " reached",
			short: fmt.Sprintf("attach limit of %s: %d of %d in use", driver, f.Requested, f.Allocatable) + counted.idle[driver].clause(),
			What: func() string {
				return fmt.Sprintf("attach limit of CSI driver %s: %d too many: the pod needs %s for %s, %d of %d are in use",
					driver, f.Short, grammar.Plural(int(f.Wanted), "volume"), grammar.List(counted.claims[driver], grammar.Many), f.Requested, f.Allocatable) +
					counted.idle[driver].words(q.Now)
			},
		})
	}
	return reasons
}

// attachCounter counts attached volumes by driver, as the plugin does.
type attachCounter struct {
	Listers
	translator csitranslation.CSITranslator
	onNode     map[string][]*storagev1.VolumeAttachment
	counted    map[fwk.NodeInfo]*attachCount
}

// attachCount is what one node comes to.
type attachCount struct {
	absent []string            // drivers that the pod needs and the node must have, but does not
	over   []Figure            // limits that the pod would exceed, by driver
	claims map[string][]string // driver → what of the pod needs it
	idle   map[string]idle     // driver → what is in use for no pod on the node; nil where that is not known
}

// idle are volumes that count because a VolumeAttachment holds them on a node, where no pod on it uses them.
type idle struct {
	volumes   int
	detaching int // of them: their VolumeAttachment is being deleted, which lasts until the driver has detached them
	since     time.Time
}

// clause is for tables: ", 7 for no pod on the node".
func (i idle) clause() string {
	if i.volumes == 0 {
		return ""
	}
	return fmt.Sprintf(", %d for no pod on the node", i.volumes)
}

// words go on with how many are being detached, and since when.
func (i idle) words(now time.Time) string {
	if i.volumes == 0 {
		return ""
	}
	said := fmt.Sprintf(", %d of them by VolumeAttachments of no pod on the node", i.volumes)
	switch i.detaching {
	case 0:
		return said
	case 1:
		return said + " (1 being detached for " + model.FormatAge(i.since, now) + ")"
	default:
		return said + fmt.Sprintf(" (%d being detached, the longest for %s)", i.detaching, model.FormatAge(i.since, now))
	}
}

func attachmentsOf(q *Question) *attachCounter {
	type attachmentsKey struct{}
	return Remember(q, attachmentsKey{}, func() *attachCounter {
		return &attachCounter{Listers: q.Listers, translator: csitranslation.New(), counted: map[fwk.NodeInfo]*attachCount{}}
	})
}

// count is what the plugin counts on node.
func (a *attachCounter) count(q *Question, node fwk.NodeInfo) *attachCount {
	if known, ok := a.counted[node]; ok {
		return known
	}
	found := &attachCount{claims: map[string][]string{}}
	a.counted[node] = found
	csiNode, err := a.csiNodes.Get(node.Node().Name)
	if err != nil {
		csiNode = nil
	}
	wanted := a.handles(q, q.Pod, csiNode)
	for _, h := range wanted {
		if a.mustHave(h.driver, csiNode) && !slices.Contains(found.absent, h.driver) {
			found.absent = append(found.absent, h.driver)
		}
	}
	if len(found.absent) == 0 {
		found.over, wanted = a.over(q, node, csiNode, wanted)
		if len(found.over) > 0 {
			found.idle = a.idle(q, node, csiNode)
		}
	}
	for _, h := range wanted {
		if !slices.Contains(found.claims[h.driver], h.claim) {
			found.claims[h.driver] = append(found.claims[h.driver], h.claim)
		}
	}
	return found
}

// mustHave says whether driver requires that nodes have it, and the node does not.
func (a *attachCounter) mustHave(driver string, csiNode *storagev1.CSINode) bool {
	if !utilfeature.DefaultFeatureGate.Enabled(features.VolumeLimitScaling) {
		return false
	}
	object, err := a.csiDrivers.Get(driver)
	if err != nil || object.Spec.PreventPodSchedulingIfMissing == nil || !*object.Spec.PreventPodSchedulingIfMissing {
		return false
	}
	return csiNode == nil || !slices.ContainsFunc(csiNode.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
}

// over are the limits of the node that wanted exceeds together with what is in
// use, and those of wanted that no pod on the node has yet.
func (a *attachCounter) over(q *Question, node fwk.NodeInfo, csiNode *storagev1.CSINode, wanted []handle) (found []Figure, counted []handle) {
	if csiNode == nil {
		return nil, nil
	}
	used, asked := map[handleKey]bool{}, map[handleKey]bool{}
	for _, info := range node.GetPods() {
		for _, h := range a.handles(q, info.GetPod(), csiNode) {
			used[h.handleKey] = true
		}
	}
	for _, h := range wanted {
		if !used[h.handleKey] {
			asked[h.handleKey] = true
			counted = append(counted, h)
		}
	}
	for key := range a.attached(node.Node().Name) {
		used[key] = true
	}
	for _, driver := range csiNode.Spec.Drivers {
		if driver.Allocatable == nil || driver.Allocatable.Count == nil {
			continue
		}
		f := Figure{
			Resource: corev1.ResourceName(attachLimit + driver.Name), Allocatable: int64(*driver.Allocatable.Count),
			Wanted: countOf(asked, driver.Name), Requested: countOf(used, driver.Name),
		}
		f.Short = f.Wanted + f.Requested - f.Allocatable
		if f.Wanted > 0 && f.Short > 0 {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b Figure) int { return strings.Compare(string(a.Resource), string(b.Resource)) })
	return found, counted
}

func countOf(volumes map[handleKey]bool, driver string) (count int64) {
	for key := range volumes {
		if key.driver == driver {
			count++
		}
	}
	return count
}

// idle are the volumes by driver that VolumeAttachments hold on the node and no pod on it uses; nil where the
// volumes of a pod on it are not all known. (Where not all pods are known, the plugin's answer is unknown.)
func (a *attachCounter) idle(q *Question, node fwk.NodeInfo, csiNode *storagev1.CSINode) map[string]idle {
	used := map[handleKey]bool{}
	for _, info := range node.GetPods() {
		for _, claim := range a.claimsOf(info.GetPod()) {
			if claim.Object == nil {
				return nil
			}
			if name := claim.Object.Spec.VolumeName; name != "" {
				if _, err := a.Volumes.Get(name); err != nil {
					return nil
				}
			}
		}
		for _, h := range a.handles(q, info.GetPod(), csiNode) {
			used[h.handleKey] = true
		}
	}
	found := map[string]idle{}
	for key, attachment := range a.attached(node.Node().Name) {
		if used[key] {
			continue
		}
		of := found[key.driver]
		of.volumes++
		if deleted := attachment.DeletionTimestamp; deleted != nil {
			of.detaching++
			if of.since.IsZero() || deleted.Time.Before(of.since) {
				of.since = deleted.Time
			}
		}
		found[key.driver] = of
	}
	return found
}

// attached are the volumes that VolumeAttachments hold on the node.
func (a *attachCounter) attached(node string) map[handleKey]*storagev1.VolumeAttachment {
	if a.onNode == nil {
		a.onNode = map[string][]*storagev1.VolumeAttachment{}
		for _, attachment := range Everything(a.attachments) {
			a.onNode[attachment.Spec.NodeName] = append(a.onNode[attachment.Spec.NodeName], attachment)
		}
	}
	found := map[handleKey]*storagev1.VolumeAttachment{}
	for _, attachment := range a.onNode[node] {
		name := attachment.Spec.Source.PersistentVolumeName
		if attachment.Spec.Attacher == "" || name == nil {
			continue
		}
		if volume, err := a.Volumes.Get(*name); err == nil && volume.Spec.CSI != nil {
			found[handleKey{attachment.Spec.Attacher, volume.Spec.CSI.VolumeHandle}] = attachment
		}
	}
	return found
}

// handleKey is one attached volume.
type handleKey struct{ driver, handle string }

// handle is a volume that a pod needs attached.
type handle struct {
	handleKey
	claim string // "claim data/db"; "volume disk" where the pod names it itself
}

// handles are the volumes of pod that are attached by CSI drivers. A claim that
// is not bound counts by its class; what cannot be followed does not count.
func (a *attachCounter) handles(q *Question, pod *corev1.Pod, csiNode *storagev1.CSINode) []handle {
	var found []handle
	for _, claim := range a.claimsOf(pod) {
		if claim.Object == nil {
			continue
		}
		if key := a.keyOf(q, claim, csiNode); key.driver != "" && key.handle != "" {
			found = append(found, handle{key, "claim " + claim.Name})
		}
	}
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		if !a.translator.IsInlineMigratable(volume) {
			continue
		}
		plugin, err := a.translator.GetInTreePluginNameFromSpec(nil, volume)
		if err != nil || !migrated(csiNode, plugin) {
			continue
		}
		translated, err := a.translator.TranslateInTreeInlineVolumeToCSI(q.Logger, volume, pod.Namespace)
		driver, nameErr := a.translator.GetCSINameFromInTreeName(plugin)
		if err == nil && nameErr == nil && translated != nil && translated.Spec.CSI != nil {
			found = append(found, handle{handleKey{driver, translated.Spec.CSI.VolumeHandle}, "volume " + volume.Name})
		}
	}
	return found
}

// keyOf is the volume behind claim.
func (a *attachCounter) keyOf(q *Question, claim PodClaim, csiNode *storagev1.CSINode) handleKey {
	volume, err := a.Volumes.Get(claim.Object.Spec.VolumeName)
	if claim.Object.Spec.VolumeName == "" || err != nil {
		return a.unboundKey(claim, csiNode)
	}
	if volume.Spec.CSI == nil {
		plugin, err := a.translator.GetInTreePluginNameFromSpec(volume, nil)
		if !a.translator.IsPVMigratable(volume) || err != nil || !migrated(csiNode, plugin) {
			return handleKey{}
		}
		volume, err = a.translator.TranslateInTreePVToCSI(q.Logger, volume)
		if err != nil || volume.Spec.CSI == nil {
			return handleKey{}
		}
	}
	return handleKey{volume.Spec.CSI.Driver, volume.Spec.CSI.VolumeHandle}
}

// unboundKey stands for the volume that claim's class would provide.
func (a *attachCounter) unboundKey(claim PodClaim, csiNode *storagev1.CSINode) handleKey {
	class, err := a.Classes.Get(claim.Class())
	if claim.Class() == "" || err != nil {
		return handleKey{}
	}
	driver := class.Provisioner
	if a.translator.IsMigratableIntreePluginByName(driver) {
		if driver, err = a.translator.GetCSINameFromInTreeName(driver); err != nil || !migrated(csiNode, class.Provisioner) {
			return handleKey{}
		}
	}
	return handleKey{driver, "unbound claim " + claim.Name}
}

// migrated says whether volumes of an in-tree plugin are attached by its CSI
// driver.
func migrated(csiNode *storagev1.CSINode, plugin string) bool {
	switch plugin {
	case csiplugins.AWSEBSInTreePluginName, csiplugins.PortworxVolumePluginName, csiplugins.GCEPDInTreePluginName,
		csiplugins.AzureDiskInTreePluginName, csiplugins.CinderInTreePluginName:
		return csiNode != nil
	}
	return false
}
