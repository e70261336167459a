package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// The kinds of errors of Connect and Source, for errors.Is.
var (
	// ErrNoConfig says that there is no usable kubeconfig.
	ErrNoConfig = errors.New("no kubeconfig")
	// ErrNoCluster says that there is no kubeconfig, or none with a cluster; it is also ErrNoConfig.
	ErrNoCluster = fmt.Errorf("%w with a cluster", ErrNoConfig)
	// ErrNoContext says that the kubeconfig has no context of that name.
	ErrNoContext = errors.New("no such context")
	// ErrFlag says that a connection flag has a value with which nothing can be sent.
	ErrFlag = errors.New("wrong flag")
	// ErrUnreachable says that the server did not answer.
	ErrUnreachable = errors.New("server unreachable")
	// ErrUnauthorized says that the server did not take the credentials.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden says that the user may not do that.
	ErrForbidden = errors.New("forbidden")
	// ErrRejected says that admission rejected the object of a user who may create it.
	ErrRejected = errors.New("rejected by admission")
	// ErrNotFound says that the object does not exist.
	ErrNotFound = errors.New("not found")
	// ErrReadOnly says that a request was rejected here, before it was sent.
	ErrReadOnly = errors.New("only reads are sent")
)

// failure is an error with a message of one line. It wraps both its kind and its cause.
type failure struct {
	about error
	cause error
	words string
}

func (f *failure) Error() string { return f.words }

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.about}
	}
	return []error{f.about, f.cause}
}

// failf makes a failure; its message is one line whatever the cause says.
func failf(about, cause error, format string, args ...any) error {
	return &failure{about: about, cause: cause, words: oneLine(fmt.Sprintf(format, args...))}
}

// classify is the kind of an error of a request to server, with a message of one line
// that says what to do next. what is the request: "list pods".
func classify(what, server string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return err
	case apierrors.IsUnauthorized(err):
		return failf(ErrUnauthorized, err, "%s: %s did not accept the credentials (%s): log in again, or choose another user with --user",
			what, server, cause(err))
	case apierrors.IsForbidden(err):
		return failf(ErrForbidden, err, "%s: %s", what, cause(err))
	case apierrors.IsNotFound(err):
		return failf(ErrNotFound, err, "%s: %s", what, cause(err))
	case isNotAnAPI(err):
		return failf(ErrUnreachable, err, "%s: %s", what, NotAnAPI(server, shortly(err)))
	case isAPIStatus(err):
		return fmt.Errorf("%s: %w", what, err)
	case strings.Contains(err.Error(), "getting credentials"): // the wrapping of client-go's exec plugin; it has no type
		return failf(ErrUnauthorized, err, "%s: %s: run the plugin by hand to see why", what, cause(err))
	}
	if away := new(redirected); errors.As(err, &away) {
		server = fmt.Sprintf("%s, where %s redirects to,", away.to, server)
	}
	return failf(ErrUnreachable, err, "%s: %s does not answer (%s): check the network, or choose another context with --context",
		what, server, shortly(err))
}

// NotAnAPI says what to do about a server that does not answer as an API server does.
func NotAnAPI(server, answer string) string {
	return fmt.Sprintf("%s answered with %s: it is not a Kubernetes API server, or a proxy answers for it: check the address, or log in to the proxy",
		server, answer)
}

// Explain is the kind of an error of a request to this cluster, with a message of one
// line that has the server's. what is the request: "cordon std-b-02".
func (c *Client) Explain(what string, err error) error {
	return classify(what, c.target.config.Host, err)
}

// isRejected says that the server itself gave an answer that it will give again: the request is
// wrong for it.
func isRejected(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	switch status.Status().Code {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// isAPIStatus says that the server itself gave this answer.
func isAPIStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

// shortly is why a request failed, in a few words, for a header or a status line.
func shortly(err error) string {
	var (
		not  *notAnAPI
		dns  *net.DNSError
		cert *tls.CertificateVerificationError
		wait interface{ Timeout() bool }
	)
	switch {
	case err == nil:
		return ""
	case apierrors.IsUnauthorized(err):
		return "Unauthorized"
	case apierrors.IsForbidden(err):
		return "Forbidden"
	case apierrors.IsTooManyRequests(err):
		return "too many requests"
	case errors.As(err, &not):
		return not.answer
	case errors.Is(err, errHungUp), closedByServer(err):
		return "connection closed"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "connection reset"
	case errors.As(err, &dns):
		return "no such host " + dns.Name
	case errors.As(err, &cert):
		return oneLine(cert.Err.Error())
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &wait) && wait.Timeout():
		return "i/o timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	}
	return cause(err)
}

// closedByServer says that the server closed the connection while a request was on its way. These errors of net/http have
// neither a type nor a name.
func closedByServer(err error) bool {
	words := cause(err)
	return words == "http: server closed idle connection" || words == "http2: client connection lost" ||
		strings.HasPrefix(words, "http2: server sent GOAWAY and closed the connection")
}

// Words are the server's own about an error of a request, in one line.
func Words(err error) string { return cause(err) }

// cause is the last error of the chain, in one line, without the request that
// net/http and client-go put before it.
func cause(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return oneLine(status.Status().Message)
	}
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return oneLine(err.Error())
		}
		err = next
	}
}

// oneLine joins the lines of s and removes control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}

// isStatusBut401 says that the server answered and knows the user.
func isStatusBut401(err error) bool { return isAPIStatus(err) && !apierrors.IsUnauthorized(err) }
