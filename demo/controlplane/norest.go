package controlplane

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/rest/fake"
)

// withoutREST is a client whose raw REST requests fail. The node lifecycle controller
// records its events with such requests, and would use those of the fake clientset.
type withoutREST struct{ kubernetes.Interface }

// CoreV1 implements kubernetes.Interface.
func (w withoutREST) CoreV1() corev1client.CoreV1Interface {
	return coreWithoutREST{w.Interface.CoreV1()}
}

type coreWithoutREST struct{ corev1client.CoreV1Interface }

// RESTClient implements corev1client.CoreV1Interface.
func (coreWithoutREST) RESTClient() rest.Interface {
	return &fake.RESTClient{
		NegotiatedSerializer: scheme.Codecs.WithoutConversion(), GroupVersion: corev1.SchemeGroupVersion,
		Err: apierrors.NewMethodNotSupported(corev1.Resource("events"), "create"),
	}
}
