package client

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// gunzipping gives a client that gunzips to a server that answers so.
func gunzipping(t *testing.T, answer http.HandlerFunc) (url string, c *http.Client) {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return server.URL, &http.Client{Transport: gunzip(transport)}
}

func gzipped(t *testing.T, text string) []byte {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return compressed.Bytes()
}

func TestAnswersAreReadAsNetHTTPReadsThem(t *testing.T) {
	long := strings.Repeat("a pod that waits ", 10_000)
	for name, answer := range map[string]http.HandlerFunc{
		"compressed": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "gzip" {
				t.Errorf("asked for %q", r.Header.Get("Accept-Encoding"))
			}
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(gzipped(t, long))
		},
		"plain": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, long) },
		"empty": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			whole := gzipped(t, long)
			_, _ = w.Write(whole[:len(whole)/2])
		},
		"no gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, long)
		},
		"damaged": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			whole := gzipped(t, long)
			whole[len(whole)-6] ^= 1 // of the checksum
			_, _ = w.Write(whole)
		},
	} {
		t.Run(name, func(t *testing.T) {
			url, c := gunzipping(t, answer)
			own := &http.Transport{}
			t.Cleanup(own.CloseIdleConnections)
			got, gotErr := whole(t, c, url)
			want, wantErr := whole(t, &http.Client{Transport: own}, url)
			if got.Uncompressed != want.Uncompressed || got.ContentLength != want.ContentLength || got.Header.Get("Content-Encoding") != want.Header.Get("Content-Encoding") {
				t.Errorf("%v, want %v", got, want)
			}
			if gotErr.text != wantErr.text || (gotErr.err == nil) != (wantErr.err == nil) ||
				errors.Is(gotErr.err, io.ErrUnexpectedEOF) != errors.Is(wantErr.err, io.ErrUnexpectedEOF) {
				t.Errorf("%d bytes and %v, want %d bytes and %v", len(gotErr.text), gotErr.err, len(wantErr.text), wantErr.err)
			}
		})
	}
}

// read is what came of a body.
type read struct {
	text string
	err  error
}

func whole(t *testing.T, c *http.Client, url string) (*http.Response, read) {
	response, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		text = nil // how much came before is a matter of buffers
	}
	return response, read{string(text), err}
}

// What a watch has sent is not kept back until more comes.
func TestACompressedWatchIsReadAsItComes(t *testing.T) {
	heard := make(chan bool)
	url, c := gunzipping(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(http.StatusOK)
		compressed := gzip.NewWriter(w)
		for range 3 {
			_, _ = io.WriteString(compressed, "a change\n")
			_ = compressed.Flush()
			w.(http.Flusher).Flush()
			select {
			case <-heard:
			case <-r.Context().Done():
				return
			}
		}
		_ = compressed.Close()
	})
	response, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	event := make([]byte, len("a change\n"))
	for range 3 {
		if _, err := io.ReadFull(response.Body, event); err != nil || string(event) != "a change\n" {
			t.Fatalf("%q, %v", event, err)
		}
		heard <- true
	}
	if rest, err := io.ReadAll(response.Body); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}
