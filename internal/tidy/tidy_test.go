package tidy

import (
	"go/ast"
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"
)

// core is what must be a pure function of (scenario, seed, binary).
var core = []string{"simrun/sim", "simrun/strategy", "simrun/model/..."}

func load(t *testing.T, patterns ...string) []*packages.Package {
	t.Helper()
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedFiles | packages.NeedImports | packages.NeedDeps,
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 || len(pkgs) < len(patterns) {
		t.Fatalf("loaded %d of %d packages", len(pkgs), len(patterns))
	}
	return pkgs
}

// The core ranges over no map, whose order differs from run to run, and starts no goroutine.
func TestCoreIsDeterministic(t *testing.T) {
	for _, p := range load(t, core...) {
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.RangeStmt:
					if _, isMap := p.TypesInfo.TypeOf(n.X).Underlying().(*types.Map); isMap {
						t.Errorf("%s: ranges over a map", p.Fset.Position(n.Pos()))
					}
				case *ast.GoStmt:
					t.Errorf("%s: starts a goroutine", p.Fset.Position(n.Pos()))
				case *ast.SelectStmt:
					t.Errorf("%s: selects between channels", p.Fset.Position(n.Pos()))
				}
				return true
			})
		}
	}
}

// Finders that find nothing prove nothing: the check must see a map range where there is one.
func TestCheckSeesMapRange(t *testing.T) {
	found := false
	for _, p := range load(t, "simrun/internal/tidy/testdata/sample") {
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if r, ok := n.(*ast.RangeStmt); ok {
					_, isMap := p.TypesInfo.TypeOf(r.X).Underlying().(*types.Map)
					found = found || isMap
				}
				return true
			})
		}
	}
	if !found {
		t.Error("did not find the map range in the sample")
	}
}
