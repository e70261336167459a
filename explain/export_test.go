package explain

import (
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

// Moment is the time of random clusters.
func Moment() time.Time { return testNow }

// RandomObjects are those of a random cluster, for tests from outside.
func RandomObjects(seed uint64, nodes, bound, pending int) []runtime.Object {
	return newRandomCluster(rand.New(rand.NewPCG(seed, 0)).IntN, nodes, bound, pending).objects()
}
