package act

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// wire notes the requests of a client and accepts them all.
type wire struct {
	asked []string
	of    metav1.DeleteOptions // of the last
	plan  *plan.Plan           // that the last was confirmed with
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var eviction struct {
		DeleteOptions *metav1.DeleteOptions `json:"deleteOptions"`
	}
	if err := json.Unmarshal(text, &eviction); err != nil {
		return nil, err
	}
	w.of = metav1.DeleteOptions{}
	if eviction.DeleteOptions != nil {
		w.of = *eviction.DeleteOptions
	} else if err := json.Unmarshal(text, &w.of); err != nil {
		return nil, err
	}
	w.asked = append(w.asked, r.Method+" "+r.URL.Path)
	w.plan = Confirmation(r.Context())
	return &http.Response{
		StatusCode: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Success"}`)),
	}, nil
}

func TestTheEndOfAPodIsAskedFor(t *testing.T) {
	for _, test := range []struct {
		says    string
		how     plan.Termination
		dry     bool
		asked   string
		version bool // the pod has to be as it was read
	}{
		{"by an eviction of that very pod", plan.Evicted, false, "POST /api/v1/namespaces/shop/pods/cart/eviction", false},
		{"by a dry run of an eviction", plan.Evicted, true, "POST /api/v1/namespaces/shop/pods/cart/eviction", false},
		{"by a deletion of the pod as it was read", plan.Deleted, false, "DELETE /api/v1/namespaces/shop/pods/cart", true},
		{"by a dry run of a deletion", plan.Deleted, true, "DELETE /api/v1/namespaces/shop/pods/cart", true},
	} {
		t.Run(test.says, func(t *testing.T) {
			sent := &wire{}
			client, err := kubernetes.NewForConfig(&rest.Config{Host: "https://server", Transport: sent, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
			if err != nil {
				t.Fatal(err)
			}
			object := running("cart")
			object.ResourceVersion = "7"
			p := &plan.Plan{Action: ends{}, PodsTerminated: 1}
			yes, err := p.Confirm(p.Question("staging", false), "1", nil)
			if err != nil {
				t.Fatal(err)
			}
			err = ask(withConfirmation(t.Context(), yes, nil), client, &plan.End{Pod: model.NewPod(object), How: test.how}, test.dry)
			if err != nil || len(sent.asked) != 1 || sent.asked[0] != test.asked || sent.plan != p {
				t.Fatalf("asked for %v, confirmed by %v, error %v", sent.asked, sent.plan, err)
			}
			only := sent.of.Preconditions
			if only == nil || *only.UID != "uid-cart" || (only.ResourceVersion != nil) != test.version {
				t.Errorf("the preconditions are %+v", only)
			}
			if sent.of.GracePeriodSeconds != nil || (len(sent.of.DryRun) == 1) != test.dry {
				t.Errorf("the options are %+v", sent.of)
			}
		})
	}
}

func TestAnEvictionAsksForTheGracePeriodThatThePlanGives(t *testing.T) {
	sent := &wire{}
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "https://server", Transport: sent, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	end := &plan.End{Pod: model.NewPod(running("cart")), How: plan.Evicted, GivenGrace: 5 * time.Second}
	if err := ask(t.Context(), client, end, true); err != nil {
		t.Fatal(err)
	}
	if grace := sent.of.GracePeriodSeconds; grace == nil || *grace != 5 {
		t.Errorf("the grace period that is asked for is %v", grace)
	}
	if only := sent.of.Preconditions; only == nil || *only.UID != "uid-cart" {
		t.Errorf("the preconditions are %+v", only)
	}
}

func TestASnapshotTellsWhetherAPodIsThere(t *testing.T) {
	live := model.Connection{Live: true}
	for _, test := range []struct {
		says   string
		status model.Status
		ref    model.Ref
		is     presence
	}{
		{"by its UID", model.Status{Connection: live}, model.Ref{Namespace: "shop", Name: "cart", UID: "uid-cart"}, there},
		{"and not by its name alone", model.Status{Connection: live}, model.Ref{Namespace: "shop", Name: "cart", UID: "before"}, gone},
		{"and that it is gone", model.Status{Connection: live}, model.Ref{Namespace: "shop", Name: "other", UID: "x"}, gone},
		{"but not while the connection is lost", model.Status{}, model.Ref{Namespace: "shop", Name: "other", UID: "x"}, unseen},
		{"nor while pods are being read", model.Status{Connection: live, Reading: map[string]int{"pods": 3}}, model.Ref{Namespace: "shop", Name: "other", UID: "x"}, unseen},
		{"nor where pods cannot be read", model.Status{Connection: live, Unread: []model.Unread{{Resource: "pods"}}}, model.Ref{Namespace: "shop", Name: "other", UID: "x"}, unseen},
		{"nor in another namespace than the one that is read", model.Status{Connection: live, Namespace: "dev"}, model.Ref{Namespace: "shop", Name: "other", UID: "x"}, unseen},
		{"while another list is being read it does", model.Status{Connection: live, Reading: map[string]int{"leases": 3}}, model.Ref{Namespace: "shop", Name: "other", UID: "x"}, gone},
	} {
		t.Run(test.says, func(t *testing.T) {
			builder := model.NewBuilder()
			builder.Pod(nil, running("cart"))
			if _, is := seen(builder.Build(1, test.status, nil), test.ref); is != test.is {
				t.Errorf("it is %v, want %v", is, test.is)
			}
		})
	}
}
