module github.com/kubectl-fathom/kubectl-fathom/docs/site

go 1.26.7

require (
	github.com/yuin/goldmark v1.8.7
	golang.org/x/net v0.61.0
)
