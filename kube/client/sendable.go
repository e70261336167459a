package client

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// sendable rejects what no request can be sent with. Left to the first request, it would
// look like a server that does not answer.
func sendable(config *rest.Config, getter genericclioptions.RESTClientGetter) error {
	flags, ok := getter.(*genericclioptions.ConfigFlags)
	if !ok {
		flags = &genericclioptions.ConfigFlags{}
	}
	if wrong := wrongServer(config.Host); wrong != "" {
		return unsendable("server", config.Host, wrong, config.Host == ptr.Deref(flags.APIServer, ""))
	}
	for _, header := range headersOf(config, flags) {
		for _, value := range header.values {
			if httpguts.ValidHeaderFieldValue(value) {
				continue
			}
			if header.secret {
				value = ""
			}
			return unsendable(header.name, value, "it has a control character, such as a line break, which no request can carry", header.flag)
		}
	}
	return nil
}

// header is a setting whose values are sent in a header.
type header struct {
	name   string // of the flag, and of the field in a kubeconfig
	values []string
	flag   bool // the flag is set, which wins
	secret bool // is not printed
}

// headersOf are the settings that are sent in headers. A user name and a password are encoded.
func headersOf(config *rest.Config, flags *genericclioptions.ConfigFlags) []header {
	as := config.Impersonate
	return []header{
		{"as", []string{as.UserName}, ptr.Deref(flags.Impersonate, "") != "", false},
		{"as-uid", []string{as.UID}, ptr.Deref(flags.ImpersonateUID, "") != "", false},
		{"as-group", as.Groups, len(ptr.Deref(flags.ImpersonateGroup, nil)) > 0, false},
		{"as-user-extra", slices.Concat(slices.Collect(maps.Values(as.Extra))...), len(ptr.Deref(flags.ImpersonateUserExtra, nil)) > 0, false},
		{"token", []string{config.BearerToken}, ptr.Deref(flags.BearerToken, "") != "", true},
	}
}

// wrongServer says what is wrong with an address that requests would be sent to; "" where
// client-go finds out, or nothing is.
func wrongServer(host string) string {
	address, err := url.Parse(host)
	if err != nil || !strings.Contains(host, "://") {
		return ""
	}
	if address.Scheme != "https" && address.Scheme != "http" {
		return "an API server is asked over HTTP: begin its address with https://"
	}
	if port, err := strconv.ParseUint(address.Port(), 10, 16); address.Port() != "" && (err != nil || port == 0) {
		return "a port is a number from 1 to 65535"
	}
	return ""
}

// unsendable is an error about the value of a flag, or of the field of a kubeconfig that has
// the same name. The value "" is not printed.
func unsendable(name, value, why string, flag bool) error {
	if value != "" {
		value = " " + strconv.Quote(value)
	}
	if flag {
		return failf(ErrFlag, nil, "--%s%s: %s", name, value, why)
	}
	return failf(ErrNoConfig, nil, "read kubeconfig: %s%s: %s", name, value, why)
}
