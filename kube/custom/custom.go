// Package custom has what readers of custom resources share.
package custom

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Why says why something could not be read: "not allowed to get podgroups.scheduling.volcano.sh". Words
// puts an error into a few words.
func Why(words func(error) string, verb, resource string, err error) string {
	if apierrors.IsForbidden(err) {
		return "not allowed to " + verb + " " + resource
	}
	return verb + " " + resource + ": " + words(err)
}

// Version is the first of some versions in which a server has a group; "" where it has none of them.
// Served says whether it has the group at all.
func Version(groups *metav1.APIGroupList, group string, versions ...string) (version string, served bool) {
	for i := range groups.Groups {
		if groups.Groups[i].Name != group {
			continue
		}
		served = true
		for _, wanted := range versions {
			for _, has := range groups.Groups[i].Versions {
				if has.Version == wanted {
					return wanted, true
				}
			}
		}
	}
	return "", served
}
