// Package docs holds what the program prints of its documentation.
package docs

import _ "embed" // for ClusterRole

// ClusterRole is the ClusterRole of all that fathom reads, in YAML, with comments.
//
//go:embed clusterrole.yaml
var ClusterRole []byte
