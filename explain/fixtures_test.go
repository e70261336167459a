package explain

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/explaintest"
)

type (
	dice          = explaintest.Dice
	randomCluster = explaintest.Cluster
)

// testNow is the clock of the tests.
var testNow = explaintest.Now

var (
	aNode      = explaintest.LargeNode
	testNode   = explaintest.Node
	nodeLabel  = explaintest.NodeLabel
	nodeTaint  = explaintest.NodeTaint
	randomNode = explaintest.RandomNode

	aPod              = explaintest.PendingPod
	testPod           = explaintest.Pod
	awayFrom          = explaintest.AwayFrom
	gatedBy           = explaintest.GatedBy
	hostPort          = explaintest.HostPort
	nodeSelectorTerms = explaintest.NodeSelectorTerms
	nominatedTo       = explaintest.NominatedTo
	ofGroup           = explaintest.OfGroup
	on                = explaintest.On
	podControlledBy   = explaintest.PodControlledBy
	podLabel          = explaintest.PodLabel
	podTerm           = explaintest.PodTerm
	priority          = explaintest.Priority
	requesting        = explaintest.Requesting
	selecting         = explaintest.Selecting
	spreadOver        = explaintest.SpreadOver

	testGroup  = explaintest.PodGroup
	testGroups = explaintest.CompositePodGroup
	gangsOn    = explaintest.GangsOn

	drawn            = explaintest.Drawn
	newRandomCluster = explaintest.RandomCluster
	same             = explaintest.Same
)

func must[T any](value T, err error) T { return explaintest.Must(value, err) }

func one[T any](d dice, of ...T) T { return explaintest.One(d, of...) }

func testNamespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
