// Package inventory computes the views of what a cluster has beside nodes and pods: one
// file a view, whose rows are what the dashboard draws and "get VIEW -o json" writes.
// A nil figure or list is not known.
package inventory
