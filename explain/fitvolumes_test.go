package explain

import (
	"context"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// scratch is a generic ephemeral volume of 10Gi; of the default class where it is "".
func scratch(class string) func(*corev1.Pod) {
	claim := aClaim("default/any", class)
	if class == "" {
		claim.Spec.StorageClassName = nil
	}
	return func(p *corev1.Pod) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
			VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: claim.Spec},
		}}})
	}
}

func byDefault(c *storagev1.StorageClass) {
	metav1.SetMetaDataAnnotation(&c.ObjectMeta, "storageclass.kubernetes.io/is-default-class", "true")
}

// onlyIn limits a class to a zone.
func onlyIn(zone string) func(*storagev1.StorageClass) {
	return func(c *storagev1.StorageClass) {
		c.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{
			Key: corev1.LabelTopologyZone, Values: []string{zone},
		}}}}
	}
}

// twoZones are a node in each of two zones, as the objects of a cluster.
func twoZones(more ...runtime.Object) []runtime.Object {
	return append([]runtime.Object{
		testNode("n", "4", nodeLabel(corev1.LabelTopologyZone, "eu-1a")), testNode("other", "4", nodeLabel(corev1.LabelTopologyZone, "eu-1b")),
	}, more...)
}

func TestFitMakesTheClaimsOfEphemeralVolumes(t *testing.T) {
	capacity := &storagev1.CSIStorageCapacity{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "n"}, StorageClassName: "csi", Capacity: resourceQuantity("100Gi"),
		NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: "eu-1b"}},
	}
	driver := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.example.com"}, Spec: storagev1.CSIDriverSpec{StorageCapacity: new(true)}}
	local := aClass("local", "kubernetes.io/no-provisioner")
	onN := aVolume("pv-0", "local", volumeOn(corev1.LabelTopologyZone, "eu-1a"))
	for name, test := range map[string]struct {
		class    string
		replicas int
		objects  []runtime.Object
		says     string
		placed   []report.PlacedOn
	}{
		"where its class provisions": {
			"csi", 8,
			[]runtime.Object{aClass("csi", "csi.example.com", onlyIn("eu-1a"))},
			"4 of 8 fit. The 5th ",
			[]report.PlacedOn{{Node: "n", Pods: 4}},
		},
		"of the default class": {
			"", 1,
			[]runtime.Object{aClass("csi", "csi.example.com", onlyIn("eu-1b"), byDefault), aClass("now", "csi.example.com", atOnce)},
			"1 of 1 fits.",
			[]report.PlacedOn{{Node: "other", Pods: 1}},
		},
		"where there is storage": {
			"csi", 2,
			[]runtime.Object{aClass("csi", "csi.example.com"), driver, capacity},
			"2 of 2 fit.",
			[]report.PlacedOn{{Node: "other", Pods: 2}},
		},
		"without a volume": {"local", 1, []runtime.Object{local}, "0 of 1 fits. The 1st would be Pending: ", nil},
		"on a volume":      {"local", 1, []runtime.Object{local, onN}, "1 of 1 fits.", []report.PlacedOn{{Node: "n", Pods: 1}}},
		"for two pods": {
			"local", 2,
			[]runtime.Object{local, onN},
			"At least 1 of 2 fit; whether more do is unknown: which volumes are left for further pods is not simulated.",
			[]report.PlacedOn{{Node: "n", Pods: 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, twoZones(test.objects...)...)
			for range 2 { // the second time shows that nothing stays of the first
				got := mustFit(t, e, report.FitQuery{Pod: testPod("ml/infer", "", "1", scratch(test.class)), Replicas: test.replicas, Admittance: report.Admittance{Admitted: true}})
				if says := got.Sentence(); !strings.HasPrefix(says, test.says) {
					t.Errorf("it says %q, want %q …", says, test.says)
				}
				if !slices.Equal(got.Placed, test.placed) {
					t.Errorf("placed %v, want %v", got.Placed, test.placed)
				}
			}
		})
	}
}

func TestFitLeavesOpenWhereVolumesAreThatAreProvisionedAtOnce(t *testing.T) {
	is := "where its volume scratch would be is not known: "
	classes := []runtime.Object{aClass("now", "csi.example.com", atOnce)}
	for name, test := range map[string]struct {
		class, cpu string
		forbidden  []string
		says       string
	}{
		"at once":            {"now", "1", nil, "How many of 3 fit is unknown: " + is + "StorageClass now has volumeBindingMode Immediate."},
		"cpu rejects it":     {"now", "9", nil, "0 of 3 fit. The 1st needs cpu 5 more on n, the closest of 2 nodes."},
		"no such class":      {"none", "1", nil, "0 of 3 fit. The 1st would be Pending: "},
		"no default class":   {"", "1", nil, "0 of 3 fit. The 1st would be Pending: "},
		"no class is read":   {"now", "1", []string{"storageclasses"}, "How many of 3 fit is unknown: " + is + "not allowed to list storageclasses."},
		"no claims are read": {"late", "1", []string{"persistentvolumeclaims"}, "How many of 3 fit is unknown: "},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngineForbidding(t, Options{Lookups: Lookups{Quotas: noQuotas}}, test.forbidden, twoZones(append(classes, aClass("late", "csi.example.com"))...)...)
			got := mustFit(t, e, report.FitQuery{Pod: testPod("ml/infer", "", test.cpu, scratch(test.class)), Replicas: 3, Admittance: report.Admittance{Admitted: true}})
			if says := got.Sentence(); !strings.HasPrefix(says, test.says) {
				t.Errorf("it says %q, want %q …", says, test.says)
			}
		})
	}
}

func TestFitCountsWhatAQuotaAdmitsOfVolumes(t *testing.T) {
	quotas := func(_ context.Context, namespace string) ([]corev1.ResourceQuota, error) {
		quota := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "storage"}}
		quota.Status.Hard = corev1.ResourceList{corev1.ResourceRequestsStorage: resource.MustParse("25Gi")}
		quota.Status.Used = corev1.ResourceList{corev1.ResourceRequestsStorage: resource.MustParse("0")}
		return []corev1.ResourceQuota{quota}, nil
	}
	e := startEngine(t, Options{Lookups: Lookups{Quotas: quotas}}, twoZones(aClass("csi", "csi.example.com"))...)
	got := mustFit(t, e, report.FitQuery{Pod: testPod("ml/infer", "", "1", scratch("csi")), Replicas: 3, Admittance: report.Admittance{Admitted: true}})
	if says, want := got.Sentence(), "2 of 3 fit. The 3rd would be Pending: "; !strings.HasPrefix(says, want) {
		t.Errorf("it says %q, want %q …", says, want)
	}
	named := func(caveat string) bool {
		return strings.HasPrefix(caveat, "kube-apiserver would reject a PersistentVolumeClaim of that pod: ") && strings.Contains(caveat, "exceeded quota: storage")
	}
	if !slices.ContainsFunc(got.Scheduler.Caveats, named) {
		t.Errorf("caveats %q", got.Scheduler.Caveats)
	}
}

func TestAPodFromAManifestIsExplainedWithTheVolumesThatAreMadeLater(t *testing.T) {
	manual := aVolume("by-hand", "manual")
	plain := aClass("plain", "plain.example.com", atOnce)
	driver := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: "plain.example.com", NodeID: "n"}}}}
	for name, test := range map[string]struct {
		class, cpu string
		verdict    report.Verdict
		says       string // at the beginning of the summary
		replicas   string // of three
	}{
		"in one zone":                {"csi", "1", report.Schedulable, "", "All 3 replicas fit"},
		"in one zone, too few":       {"csi", "2", report.Schedulable, "It fits 1 node now: n.", "1 of 3 replicas fit"},
		"in a zone that is too full": {"csi", "4", report.Unschedulable, "0 of 2 nodes fit. Closest: n needs cpu 1 more.", "0 of 3 replicas fit"},
		"too large":                  {"csi", "8", report.Unschedulable, "Too large for any node", "0 of 3 replicas fit"},
		"of no volume":               {"local", "1", report.Unschedulable, "0 of 2 nodes fit. Closest: n and 1 more, no local volume for claim ml/infer-scratch.", "0 of 3 replicas fit"},
		"of no class":                {"none", "1", report.Unschedulable, "No node fits: claim ml/infer-scratch is unbound: class none does not exist.", "0 of 3 replicas fit"},
		"of a volume's class":        {"manual", "1", report.Unknown, "", "unknown"},
		"wherever they are":          {"now", "1", report.Unknown, "", "unknown"},
		"too large wherever":         {"now", "8", report.Unschedulable, "Too large for any node", "0 of 3 replicas fit"},
		"on every node":              {"plain", "1", report.Schedulable, "", "All 3 replicas fit"},
	} {
		t.Run(name, func(t *testing.T) {
			pods := []runtime.Object{testPod("sys/agent", "n", "1")}
			e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, twoZones(append(pods, testNamespace("ml"), aClass("csi", "csi.example.com", onlyIn("eu-1a")), aClass("now", "csi.example.com", atOnce),
				aClass("local", "kubernetes.io/no-provisioner"), manual, plain, driver)...)...)
			pod := testPod("ml/infer", "", test.cpu, scratch(test.class))
			told, err := e.Ask(t.Context(), report.Query{Target: report.PodFrom(pod), Parts: report.FixesPart | report.PreemptionPart | report.Nodes})
			if err != nil {
				t.Fatal(err)
			}
			if told.Verdict != test.verdict || !strings.HasPrefix(told.Summary, test.says) || told.Pod.Name != "infer" {
				t.Errorf("%s: %s: %s", told.Pod.Name, told.Verdict, told.Summary)
			}
			if told.Tried == nil || told.Plan == nil || test.verdict == report.Unknown && len(told.Unknown) == 0 {
				t.Errorf("fixes %v, preemption %v, unknown %v", told.Tried, told.Plan, told.Unknown)
			}
			if slices.ContainsFunc(told.Tried.Tried, func(f report.Fix) bool { return f.Verified }) {
				t.Errorf("fixes without its volumes are promised: %v", told.Tried.Tried)
			}
			fit, err := Replicas(t.Context(), e, pod, 3, report.Admittance{})
			if err != nil || !strings.Contains(fit.Sentence(), test.replicas) {
				t.Errorf("of its replicas %q, %v", fit.Sentence(), err)
			}
		})
	}
}

func TestFitLikeMakesClaimsLikeThoseThatExist(t *testing.T) {
	for name, test := range map[string]struct {
		class *storagev1.StorageClass
		says  string
	}{
		"in one zone": {aClass("csi", "csi.example.com", onlyIn("eu-1a")), "2 more fit. The 3rd "},
		"anywhere":    {aClass("csi", "csi.example.com"), "6 more fit. The 7th "},
		"unknown":     {aClass("csi", "csi.example.com", atOnce), "Without its volumes 6 more would fit; the 7th "},
	} {
		t.Run(name, func(t *testing.T) {
			claim := aClaim("shop/data-db-0", "csi")
			claim.Spec.VolumeName, claim.Status.Phase = "pv", corev1.ClaimBound
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
			volume := aVolume("pv", "csi", volumeOn(corev1.LabelTopologyZone, "eu-1a"))
			volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "shop", Name: "data-db-0", UID: "claim"}
			mounts := func(p *corev1.Pod) {
				p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-db-0"},
				}}}
			}
			db := testPod("shop/db-0", "n", "1", podControlledBy("apps/v1", "StatefulSet", "db"), mounts)
			e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas, LimitRanges: func(context.Context, string) ([]corev1.LimitRange, error) { return nil, nil }}},
				twoZones(testNamespace("shop"), test.class, claim, volume, db, testPod("shop/other", "n", "1"))...)
			got, err := FitLike(t.Context(), e, db.UID, 9)
			if err != nil {
				t.Fatal(err)
			}
			if says := got.MoreSentence(); !strings.HasPrefix(says, test.says) {
				t.Errorf("it says %q, want %q …", says, test.says)
			}
		})
	}
}

// What is reserved, limited or there already decides where the pods of a StatefulSet may be.
func TestNewClaimsOfAStatefulSetLeaveOpenWhatOthersDecide(t *testing.T) {
	reserved := aVolume("pv-0", "local", volumeOn(corev1.LabelTopologyZone, "eu-1a"))
	reserved.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ml", Name: "data-db-0"}
	others := []*corev1.PersistentVolume{aVolume("pv-0", "csi"), aVolume("pv-0", "csi")}
	others[0].Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ml", Name: "data-other-0"}
	others[1].Spec.ClaimRef = &corev1.ObjectReference{Namespace: "qa", Name: "data-db-0"}
	byHand := aVolume("pv-0", "manual")
	byHand.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ml", Name: "data-db-0"}
	limited := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{
		Name: "plain.example.com", NodeID: "n", Allocatable: &storagev1.VolumeNodeResources{Count: new(int32(3))},
	}}}}
	for name, test := range map[string]struct {
		class   string
		objects []runtime.Object
		verdict report.Verdict
	}{
		"a volume that is reserved":             {"local", []runtime.Object{aClass("local", "kubernetes.io/no-provisioner"), reserved}, report.Unknown},
		"a volume of no class that is reserved": {"manual", []runtime.Object{byHand}, report.Unknown},
		"a driver with a limit":                 {"plain", []runtime.Object{aClass("plain", "plain.example.com", atOnce), limited}, report.Unknown},
		"a volume reserved for another claim":   {"csi", []runtime.Object{aClass("csi", "csi.example.com"), others[0]}, report.Schedulable},
		"a volume of another namespace":         {"csi", []runtime.Object{aClass("csi", "csi.example.com"), others[1]}, report.Schedulable},
		"a claim that exists":                   {"local", []runtime.Object{aClass("local", "kubernetes.io/no-provisioner"), aClaim("ml/data-db-0", "local")}, report.Unschedulable},
		"a claim that its pod uses":             {"local", []runtime.Object{aClass("local", "kubernetes.io/no-provisioner"), aClaim("ml/data-db-0", "local"), testPod("ml/db-0", "n", "1")}, report.Schedulable},
		"none of these":                         {"local", []runtime.Object{aClass("local", "kubernetes.io/no-provisioner")}, report.Unschedulable},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, twoZones(append(test.objects, testNamespace("ml"))...)...)
			template := aClaim("ml/data", test.class)
			set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "db"}, Spec: appsv1.StatefulSetSpec{VolumeClaimTemplates: []corev1.PersistentVolumeClaim{*template}}}
			set.Spec.Template.Spec = testPod("ml/any", "", "1").Spec
			planned, _ := admission.PodOf(set, "ml")
			if notes := planned.WithNewClaims(planned.Pod); len(notes) != 1 {
				t.Errorf("notes %q", notes)
			}
			told, err := e.Ask(t.Context(), report.Query{Target: report.PodFrom(planned.Pod)})
			if err != nil {
				t.Fatal(err)
			}
			if told.Verdict != test.verdict {
				t.Errorf("%s: %s, %q", told.Verdict, told.Summary, told.Scheduler.Caveats)
			}
			if says := slices.Contains(told.Scheduler.Caveats, "claim ml/data-db-0 is that of pod db-0, which exists: volume data is left out"); says != (name == "a claim that its pod uses") {
				t.Errorf("caveats %q", told.Scheduler.Caveats)
			}
			if name == "a volume that is reserved" && told.Unknown[0].Why != "where its volume data would be is not known: PersistentVolume pv-0 is reserved for claim ml/data-db-0" {
				t.Errorf("unknown: %v", told.Unknown)
			}
		})
	}
}

// aSet is a StatefulSet of three replicas with a claim of 20Gi for each, where the first three exist.
func aSet(class string, ordinals *appsv1.StatefulSetOrdinals) *appsv1.StatefulSet {
	template := aClaim("shop/data", class)
	template.Namespace = ""
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db", UID: "db"}, Spec: appsv1.StatefulSetSpec{
		Replicas: new(int32(3)), Ordinals: ordinals, VolumeClaimTemplates: []corev1.PersistentVolumeClaim{*template},
	}}
	set.Spec.Template.Spec = testPod("shop/any", "", "1").Spec
	return set
}

// claimQuota gives the namespace a quota of claims, and one of what they request of a class.
func claimQuota(claims, used string) func(context.Context, string) ([]corev1.ResourceQuota, error) {
	const ofClass = "csi.storageclass.storage.k8s.io/requests.storage"
	return func(_ context.Context, namespace string) ([]corev1.ResourceQuota, error) {
		count, storage := corev1.ResourceQuota{}, corev1.ResourceQuota{}
		count.Namespace, count.Name, storage.Namespace, storage.Name = namespace, "compute", namespace, "storage"
		count.Status.Hard = corev1.ResourceList{corev1.ResourcePersistentVolumeClaims: resource.MustParse(claims)}
		count.Status.Used = corev1.ResourceList{corev1.ResourcePersistentVolumeClaims: resource.MustParse(used)}
		storage.Status.Hard = corev1.ResourceList{ofClass: resource.MustParse("105Gi")}
		storage.Status.Used = corev1.ResourceList{ofClass: resource.MustParse("60Gi")}
		return []corev1.ResourceQuota{count, storage}, nil
	}
}

func TestFitNumbersTheReplicasOfAStatefulSetOn(t *testing.T) {
	kept := aClaim("shop/data-db-3", "csi")
	kept.Spec.VolumeName, kept.Status.Phase = "pv", corev1.ClaimBound
	metav1.SetMetaDataAnnotation(&kept.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
	there := aVolume("pv", "csi", volumeOn(corev1.LabelTopologyZone, "eu-1b"))
	there.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "shop", Name: "data-db-3", UID: "claim"}
	for name, test := range map[string]struct {
		ordinals     *appsv1.StatefulSetOrdinals
		claims, used string
		objects      []runtime.Object
		says         string
	}{
		"a quota of claims": {
			nil, "10", "7", nil,
			"3 of 9 fit. The 4th would not be created: ResourceQuota shop/compute allows persistentvolumeclaims 10, 10 used, its claim shop/data-db-6 needs 1.",
		},
		"a quota of storage": {
			nil, "100", "7", nil,
			"4 of 9 fit. The 5th would not be created: ResourceQuota shop/storage allows csi.storageclass.storage.k8s.io/requests.storage 105Gi, 100Gi used, its claim shop/data-db-7 needs 10Gi.",
		},
		"from the first ordinal": {
			&appsv1.StatefulSetOrdinals{Start: 5}, "10", "10", nil,
			"0 of 9 fit. The 1st would not be created: ResourceQuota shop/compute allows persistentvolumeclaims 10, 10 used, its claim shop/data-db-8 needs 1.",
		},
		"a claim that exists": {
			nil, "10", "10",
			[]runtime.Object{kept, there},
			"1 of 9 fit. The 2nd would not be created: ResourceQuota shop/compute allows persistentvolumeclaims 10, 10 used, its claim shop/data-db-4 needs 1.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := aSet("csi", test.ordinals)
			db := testPod("shop/db-0", "n", "1", podControlledBy("apps/v1", "StatefulSet", "db"), func(p *corev1.Pod) {
				p.OwnerReferences[0].UID = "db"
				p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-db-0"},
				}}}
			})
			e := startEngine(t, Options{
				Lookups: Lookups{
					Quotas:      claimQuota(test.claims, test.used),
					LimitRanges: func(context.Context, string) ([]corev1.LimitRange, error) { return nil, nil },
				},
			}, twoZones(append(test.objects, testNamespace("shop"), aClass("csi", "csi.example.com"), aClaim("shop/data-db-0", "csi"), set, db)...)...)
			planned, _ := admission.FurtherPodOf(set)
			planned.WithNewClaims(planned.Pod)
			got := mustFit(t, e, report.FitQuery{Pod: planned.Pod, Replicas: 9, Admittance: report.Admittance{Admitted: true}})
			same(t, got.Sentence(), test.says)
			if len(test.objects) > 0 && !slices.Equal(got.Placed, []report.PlacedOn{{Node: "other", Pods: 1}}) {
				t.Errorf("placed %v, not where the volume is", got.Placed)
			}
			like, err := FitLike(t.Context(), e, db.UID, 9)
			if err != nil {
				t.Fatal(err)
			}
			if _, end, _ := strings.Cut(got.Sentence(), ". "); !strings.HasSuffix(strings.Replace(like.MoreSentence(), "The next ", "The 1st ", 1), end) || *like.Fits != *got.Fits {
				t.Errorf("of another like the pod it says %q", like.MoreSentence())
			}
		})
	}
}
