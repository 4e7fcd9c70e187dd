package experiment

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"simrun/model"
)

// constantsOf reads the names of the constants of a type from a source file: those of the block whose
// first constant has the type, or of each constant that has it.
func constantsOf(t *testing.T, file, typeName string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range tree.Decls {
		block, ok := d.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		first, ok := block.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident)
		if !ok || first.Name != typeName {
			continue
		}
		for _, spec := range block.Specs {
			for _, n := range spec.(*ast.ValueSpec).Names {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// Goal: each step that the model can tell of has its kind of entry in a story, and no two share one.
// Method: the constants of model.StepWhat, read from the source, since Go cannot list them.
func TestEveryStepHasAKind(t *testing.T) {
	names := constantsOf(t, "../model/trace.go", "StepWhat")
	if len(names) < int(model.SparedConnection) {
		t.Fatalf("only %d steps were found", len(names))
	}
	var kinds []string
	for what, name := range names {
		if what >= len(stepKinds) || stepKinds[what] == "" {
			t.Errorf("model.%s has no kind of entry: see stepKinds and result.Story…", name)
			continue
		}
		if slices.Contains(kinds, stepKinds[what]) {
			t.Errorf("model.%s shares the kind %q", name, stepKinds[what])
		}
		kinds = append(kinds, stepKinds[what])
	}
}
