package client

import (
	"net"
	"net/http"
	"testing"
)

// Whatever net/http calls it, a connection that the server closes is told in the same few words.
func TestAClosedConnectionIsToldInFewWords(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_ = connection.Close() // before, while and after the request is written
		}
	}()
	client := &http.Client{Transport: &http.Transport{}}
	for range 500 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		if words := shortly(err); words != "connection closed" && words != "connection reset" {
			t.Fatalf("it says %q of %v", words, err)
		}
	}
}
