package session

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
)

func TestTheEmbeddedClusterIsOfTheReleaseOfThePlugins(t *testing.T) {
	onStage(t, demo.Story{Nodes: demo.FewestNodes, Seed: 1, Still: true}, "dark", func(t *testing.T, s *stage) {
		s.live(5 * time.Second)
		s.press('W')
		if frame := s.frame(); !strings.Contains(frame, "SCHEDULER AND CLUSTER") || strings.Contains(frame, "the plugins are those of") {
			t.Error(frame)
		}
	})
}
