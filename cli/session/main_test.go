package session

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

func TestMain(m *testing.M) {
	explain.Silence() // before a watch of any test logs
	goleak.VerifyTestMain(m)
}
