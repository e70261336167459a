package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// Entry is one object as kube-apiserver stores it.
type Entry struct {
	Key   []byte `json:"key"`   // of etcd: /registry/pods/NAMESPACE/NAME
	Value []byte `json:"value"` // the object in protobuf, with the API server's magic number
}

// serializer writes what kube-apiserver stores.
var serializer = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// Encode makes an entry of an object, whose TypeMeta must be set and whose
// resourceVersion must not.
func Encode(key string, object runtime.Object) (Entry, error) {
	var value bytes.Buffer
	err := serializer.Encode(object, &value)
	if err != nil {
		return Entry{}, fmt.Errorf("encode %s: %w", key, err)
	}
	return Entry{Key: []byte(key), Value: value.Bytes()}, nil
}

// Put writes entries into etcd in one transaction, at most 128 and 1.5 MiB of
// them. Nobody admits or completes them: they must be whole.
func Put(ctx context.Context, c *ControlPlane, entries []Entry) error {
	type operation struct {
		Put Entry `json:"requestPut"`
	}
	var transaction struct {
		Success []operation `json:"success"`
	}
	for _, e := range entries {
		transaction.Success = append(transaction.Success, operation{e})
	}
	body, err := json.Marshal(transaction)
	if err != nil {
		return fmt.Errorf("write to etcd: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, loopback("http", c.ports.etcd, "/v3/kv/txn"), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("write to etcd: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("write to etcd: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body) // read to its end, the connection is used again
	if err != nil {
		return fmt.Errorf("write to etcd: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("write to etcd: %s: %s", response.Status, answer)
	}
	return nil
}
