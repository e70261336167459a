package snapshot

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// planted is a word that is told apart from all others by where it stands.
const planted = "hunter2"

// secretive is a pod that holds secrets wherever people put them.
func secretive() *corev1.Pod {
	secret := func(of string) string { return planted + "-" + of }
	action := &corev1.ExecAction{Command: []string{secret("probe")}}
	container := corev1.Container{
		Name: "main", Image: "web", Args: []string{secret("args")}, Command: []string{secret("command")},
		Env:           []corev1.EnvVar{{Name: "PASSWORD", Value: secret("env")}},
		LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: action}},
		Lifecycle:     &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: action}},
		WorkingDir:    secret("dir"), TerminationMessagePath: secret("path"),
	}
	options := map[string]string{"password": secret("options")}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "web", UID: "web",
			Annotations: map[string]string{
				"example.com/token": secret("annotation"), corev1.LastAppliedConfigAnnotation: secret("applied"),
			},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: secret("manager")}},
		},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{container}, InitContainers: []corev1.Container{container},
			ImagePullSecrets:    []corev1.LocalObjectReference{{Name: secret("pull")}},
			HostAliases:         []corev1.HostAlias{{Hostnames: []string{secret("alias")}}},
			EphemeralContainers: []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon(container)}},
			Volumes: []corev1.Volume{
				{Name: "flex", VolumeSource: corev1.VolumeSource{FlexVolume: &corev1.FlexVolumeSource{Driver: "d", Options: options}}},
				{Name: "csi", VolumeSource: corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: "d", VolumeAttributes: options}}},
				{Name: "git", VolumeSource: corev1.VolumeSource{GitRepo: &corev1.GitRepoVolumeSource{Repository: secret("repository")}}},
				{Name: "rbd", VolumeSource: corev1.VolumeSource{RBD: &corev1.RBDVolumeSource{RBDImage: "i", Keyring: secret("keyring")}}},
				{Name: "files", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{
					Secret: &corev1.SecretProjection{Items: []corev1.KeyToPath{{Key: secret("key")}}},
				}}}}},
			},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodPending,
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "main", LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: secret("message")}},
			}},
		},
	}
}

// withSecrets are objects of the other kinds that may hold some.
func withSecrets() []runtime.Object {
	pod := secretive()
	template := corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	named := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "shop", Name: name, UID: "u", Annotations: pod.Annotations}
	}
	parameters := map[string]string{"restuserkey": planted + "-parameter"}
	return []runtime.Object{
		pod,
		&appsv1.ReplicaSet{ObjectMeta: named("set"), Spec: appsv1.ReplicaSetSpec{Template: template}},
		&appsv1.StatefulSet{ObjectMeta: named("set"), Spec: appsv1.StatefulSetSpec{Template: template}},
		&corev1.ReplicationController{ObjectMeta: named("set"), Spec: corev1.ReplicationControllerSpec{Template: &template}},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", UID: "n", Annotations: pod.Annotations}},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}, Parameters: parameters, MountOptions: []string{planted + "-mount"}},
		&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "volume"}, Spec: corev1.PersistentVolumeSpec{
			MountOptions: []string{"password=" + planted}, PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{
					Driver: "d", VolumeHandle: "h", VolumeAttributes: parameters,
					NodeStageSecretRef: &corev1.SecretReference{Name: planted + "-reference"},
				},
			},
		}},
		&resourcev1.ResourceClaim{ObjectMeta: named("claim"), Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
			Config: []resourcev1.DeviceClaimConfiguration{{DeviceConfiguration: resourcev1.DeviceConfiguration{
				Opaque: &resourcev1.OpaqueDeviceConfiguration{Driver: "d", Parameters: runtime.RawExtension{Raw: []byte(`"` + planted + `-opaque"`)}},
			}}},
		}}},
		&corev1.Secret{ObjectMeta: named("secret"), Data: map[string][]byte{"password": []byte(planted)}},
		&corev1.ConfigMap{ObjectMeta: named("map"), Data: map[string]string{"password": planted}},
	}
}

// sourceOf serves objects whole, as a source does that strips nothing.
func sourceOf(objects []runtime.Object) *cluster.Source {
	client := fake.NewClientset(objects...)
	return &cluster.Source{
		Factory: informers.NewSharedInformerFactory(client, 0), Client: client, Trace: scheduler.NewUnreadable(),
		Status: func() model.Status { return model.Status{Context: "test"} },
		Configuration: &scheduler.Configuration{Source: "ConfigMap", Data: []byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: hunter2-file}
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - {name: Foreign, args: {token: hunter2-argument}}
  - {name: NodeResourcesFit, args: {ignoredResources: [example.com/kept]}}
extenders:
- {urlPrefix: "https://user:hunter2@extender.example:1/x", filterVerb: filter, tlsConfig: {keyData: aHVudGVyMg==, certFile: hunter2}}
`)},
	}
}

// taken is the snapshot of a source, with all pods waiting.
func taken(t testing.TB, source *cluster.Source, keep ...string) *Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, k := range kinds {
		if !k.beside {
			informer, err := source.Factory.ForResource(k.gvr())
			if err != nil {
				t.Fatal(err)
			}
			informer.Informer()
		}
	}
	source.Factory.StartWithContext(ctx)
	source.Factory.WaitForCacheSyncWithContext(ctx)
	pods, err := source.Factory.Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := source.Factory.Core().V1().Nodes().Lister().List(labels.Everything())
	if err != nil {
		t.Fatal(err)
	}
	b := model.NewBuilder()
	for _, node := range nodes {
		b.Node(nil, node)
	}
	for _, pod := range pods {
		b.Pod(nil, pod)
	}
	refused := secretive()
	refused.Name, refused.UID = "", "not-created"
	refused.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "set", UID: "set", Controller: new(true)}}
	b.NotCreated([]*model.NotCreated{{Pod: refused, Wanted: 1, Missing: 1}})
	s, err := Take(ctx, source, b.Build(1, source.Status(), nil), Options{Taken: time.Unix(1_700_000_000, 0), Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func written(t testing.TB, s *Snapshot, format Format) string {
	t.Helper()
	var text bytes.Buffer
	if err := s.Write(&text, format); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestNoSecretGetsIntoAFile(t *testing.T) {
	s := taken(t, sourceOf(withSecrets()))
	for _, format := range []Format{YAML, JSON} {
		text := written(t, s, format)
		for line := range strings.Lines(text) {
			if strings.Contains(line, planted) || strings.Contains(line, "aHVudGVyMg") {
				t.Errorf("%s: %.200s", format, line)
			}
		}
		for _, kept := range []string{"example.com/kept", "flexVolume", "StatefulSet", "https://extender.example:1/x", "volumeHandle"} {
			if !strings.Contains(text, kept) {
				t.Errorf("%s lacks %s:\n%s", format, kept, text)
			}
		}
	}
}

// What is asked for is put back, and nothing else is.
func TestKeepPutsBackWhatIsAskedFor(t *testing.T) {
	for keep, words := range map[string][]string{
		"env": {"env"}, "args": {"args", "command"}, "probes": {"probe"}, "lifecycle": {"probe"}, "annotations": {"annotation"}, "messages": {"message"},
	} {
		text := written(t, taken(t, sourceOf(withSecrets()), keep), YAML)
		found := map[string]bool{}
		for _, part := range strings.Split(text, planted+"-")[1:] {
			found[strings.FieldsFunc(part, func(r rune) bool { return r < 'a' || r > 'z' })[0]] = true
		}
		want := map[string]bool{}
		for _, word := range words {
			want[word] = true
		}
		if !reflect.DeepEqual(found, want) {
			t.Errorf("--keep %s puts back %v, want %v", keep, found, want)
		}
	}
}

// A field that keptfields.txt does not list is left out, whatever it is: every field of
// every kind is filled, and what is written is filled in the listed ones only.
func TestOnlyListedFieldsAreWritten(t *testing.T) {
	scrub, err := newScrubber(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		object := k.object.DeepCopyObject()
		fill(reflect.ValueOf(object).Elem(), 0)
		m, err := meta.Accessor(object)
		if err != nil {
			t.Fatal(err)
		}
		for annotation := range cluster.ReadAnnotations {
			m.GetAnnotations()[annotation] = "x"
		}
		unlisted(t, k.resource, reflect.ValueOf(scrub.scrubbed(object)).Elem())
	}
}

// unlisted complains about what is filled below v and not listed.
func unlisted(t *testing.T, at string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			unlisted(t, at, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			unlisted(t, at, v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			unlisted(t, fmt.Sprintf("%s[%v]", at, key), v.MapIndex(key))
		}
	case reflect.Struct:
		if leaves[v.Type()] {
			return
		}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			asked, listed := allowed[typeName(v.Type())][field.Name]
			switch filled := !v.Field(i).IsZero(); {
			case filled && (!listed || asked != ""):
				t.Errorf("%s.%s is written and not listed", at, field.Name)
			case !filled && listed && asked == "" && field.Type.Kind() != reflect.Struct && field.Name != "Annotations":
				t.Errorf("%s.%s is listed and not written", at, field.Name)
			}
			unlisted(t, at+"."+field.Name, v.Field(i))
		}
	}
}

// fill sets every field below v to something.
func fill(v reflect.Value, depth int) {
	if leaves[v.Type()] {
		v.Set(reflect.ValueOf(map[reflect.Type]any{
			reflect.TypeFor[metav1.Time]():        metav1.Unix(1, 0),
			reflect.TypeFor[metav1.MicroTime]():   metav1.NewMicroTime(time.Unix(1, 0)),
			reflect.TypeFor[resource.Quantity]():  resource.MustParse("3"),
			reflect.TypeFor[intstr.IntOrString](): intstr.FromInt32(1),
		}[v.Type()]))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				fill(field, depth)
			}
		}
	case reflect.Pointer:
		if depth < 8 { // types that hold themselves
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth)
	case reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth)
		fill(element, depth)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, element)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	}
}
