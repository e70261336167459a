package client

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

var deleteNow = metav1.DeleteOptions{}

func live(s model.Status) bool { return s.Connection.Live }

func TestTheSourceSurvives(t *testing.T) {
	// A server that closes with a request half read makes the kernel reset.
	hungUp := []string{"connection closed", "connection reset"}
	for _, test := range []struct {
		name        string
		fails, ends func(*apiserver)
		says        []string // the ways in which the kernel tells of it
	}{
		{
			name:  "a server that hangs up",
			fails: func(s *apiserver) { s.down = true },
			ends:  func(s *apiserver) { s.down = false },
			says:  hungUp,
		},
		{
			name:  "a token that expired, until there is another",
			fails: func(s *apiserver) { s.refuse = true },
			ends:  func(s *apiserver) { s.refuse = false },
			says:  []string{"Unauthorized"},
		},
		{
			name:  "a server that starts again and forbids what it will allow",
			fails: func(s *apiserver) { s.down = true },
			ends: func(s *apiserver) {
				s.down, s.unready = false, true
				s.forbid = func(string, string, string) bool { return true }
				time.AfterFunc(100*time.Millisecond, func() {
					s.set(func() {
						s.unready = false
						s.forbid = func(string, string, string) bool { return false }
					})
				})
			},
			says: hungUp,
		},
		{
			name: "a server that has forgotten from where it was watched",
			fails: func(s *apiserver) {
				s.down, s.oldest = true, 1_000_000
			},
			ends: func(s *apiserver) { s.down, s.oldest = false, 2 },
			says: hungUp,
		},
	} {
		for name, streams := range map[string]bool{"streamed": true, "in pages": false} {
			t.Run(test.name+", "+name, func(t *testing.T) {
				server := newAPIServer(t)
				server.streams = streams
				server.fill(10)
				client := server.open(t)
				source := start(t, client)
				until(t, source, "live", live)
				before := source.Status().Connection.Heard

				server.set(func() { test.fails(server) })
				server.CloseClientConnections()
				lost := until(t, source, "lost, tried twice", func(s model.Status) bool { return s.Connection.Tries >= 2 })
				if c := lost.Connection; c.Live || !slices.Contains(test.says, c.Err) || c.Heard.Before(before) {
					t.Errorf("the connection is %+v, want it to say one of %q", c, test.says)
				}
				if n := len(podsIn(t, source)); n != 10 {
					t.Errorf("%d pods are left while the server is away, want 10", n)
				}
				server.tell("pods", watch.Added, sample.SmallPod("missed-1", ""))
				server.set(func() { test.ends(server) })
				client.Retry()
				until(t, source, "live again, with what was missed", func(s model.Status) bool {
					return s.Connection.Live && s.Connection.Tries == 0 && len(podsIn(t, source)) >= 11
				})
				server.tell("pods", watch.Added, sample.SmallPod("late-1", ""))
				until(t, source, "watching again", func(model.Status) bool { return len(podsIn(t, source)) == 12 })
				select {
				case <-source.Stale:
					t.Error("the source is stale, though no right was lost")
				default:
				}
			})
		}
	}
}
