package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// notShown are states of pods that Pending does not list, or that have a cause.
var notShown = []string{"running", "finished", "unschedulable", "gated", "queued", "provisioning", "fits now"}

// TestEachWordOfBlockedByIsDocumented wants each word that BLOCKED BY may have on the page
// that lists them.
func TestEachWordOfBlockedByIsDocumented(t *testing.T) {
	described, found := read(t, "guide/reference.md"), 0
	for _, pattern := range []string{"summary", "plugins", "admission", "report"} {
		files, err := filepath.Glob("../explain/" + pattern + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, word := range blockedWords(t, path) {
				found++
				if !slices.Contains(notShown, word) && !strings.Contains(described, "`"+word+"`") {
					t.Errorf("guide/reference.md does not have %q of %s", word, path)
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d words were found", found)
	}
}

// blockedWords are the words of a file that are given to a cause or a state, or that a
// function returns which finds a cause.
func blockedWords(t *testing.T, path string) (words []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	take := func(values ...ast.Expr) {
		for _, value := range values {
			if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if word, err := strconv.Unquote(literal.Value); err == nil && word != "" {
					words = append(words, word)
				}
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.KeyValueExpr:
			if key, ok := node.Key.(*ast.Ident); ok && slices.Contains([]string{"state", "cause", "Cause"}, key.Name) {
				take(node.Value)
			}
		case *ast.AssignStmt:
			for i, to := range node.Lhs {
				if field, ok := to.(*ast.SelectorExpr); ok && slices.Contains([]string{"state", "cause"}, field.Sel.Name) && len(node.Rhs) == len(node.Lhs) {
					take(node.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			takeNamed(node, take)
		case *ast.FuncDecl:
			if name := strings.ToLower(node.Name.Name); strings.HasSuffix(name, "cause") || name == "blockedby" {
				ast.Inspect(node, func(inner ast.Node) bool {
					if result, ok := inner.(*ast.ReturnStmt); ok {
						take(result.Results...)
					}
					return true
				})
			}
		}
		return true
	})
	return words
}

// takeNamed takes the words of the constants and the map that hold causes.
func takeNamed(spec *ast.ValueSpec, take func(...ast.Expr)) {
	for i, name := range spec.Names {
		if i >= len(spec.Values) || !slices.Contains([]string{"causes", "tooLarge", "CordonWord", "NoSuchNode"}, name.Name) {
			continue
		}
		take(spec.Values[i])
		if all, ok := spec.Values[i].(*ast.CompositeLit); ok {
			for _, element := range all.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					take(pair.Value)
				}
			}
		}
	}
}
