package sim

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var arches = flag.Bool("arches", false, "compile for other architectures and read the code")

// TestNothingIsFused compiles the package for architectures that can multiply and add in
// one instruction with one rounding, and looks for such instructions. There are none as long
// as each product is in an explicit float64().
func TestNothingIsFused(t *testing.T) {
	if !*arches {
		t.Skip("builds the standard library for six architectures: make arches runs it")
	}
	fused := regexp.MustCompile(`\.go:\d+\)\s+(V?FN?M(ADD|SUB)|FMADD|FMSUB|FNMADD|FNMSUB)`)
	for _, arch := range []string{"amd64", "arm64", "loong64", "ppc64le", "riscv64", "s390x"} {
		cmd := exec.Command("go", "build", "-gcflags=-S", ".")
		cmd.Env = append(os.Environ(), "GOARCH="+arch, "GOAMD64=v3", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", arch, err, out)
		}
		if !strings.Contains(string(out), "normalQuantile") {
			t.Fatalf("%s: the listing does not show the code", arch)
		}
		for line := range strings.Lines(string(out)) {
			if fused.MatchString(line) {
				t.Errorf("%s: %s", arch, strings.TrimSpace(line))
			}
		}
	}
}
