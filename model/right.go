package model

// Right is one thing that a user may be allowed to do, in RBAC's words.
type Right struct {
	Verb      string
	Group     string // API group; "" is core
	Resource  string // plural; with a slash before a subresource
	Namespace string // "" is all, or what has none
}

// Permission is whether the user has a right.
type Permission struct {
	Allowed bool
	Why     string // the authorizer's words; often ""
}
