package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"simrun/experiment"
)

// A page shows what commands print. Each block
//
//	<!-- show /from/../to/ | /line/ | exit 1 -->
//	```console
//	$ simrun run quickstart
//	…
//	```
//
// is made of the command's stdout: the lines that match a pattern, or from one that matches to the next
// that matches another; "…" stands for what is left out between. Without the comment it is all of it.
// "stderr" takes what it says beside. Every command runs in the same empty directory, in the order of the
// page; files are not written, which changes nothing of what is printed. -update writes the page anew.
var pageBlock = regexp.MustCompile(
	"(?m)^(<!-- show (.*) -->\n)?```console\n\\$ simrun ([^\n]*)\n((?s).*?)```$")

// show is what a block keeps of a command's output.
type show struct {
	ranges [][2]*regexp.Regexp
	exit   int
	stderr bool
}

func parseShow(text string) (s show, err error) {
	if text == "" {
		return show{ranges: [][2]*regexp.Regexp{{regexp.MustCompile(""), nil}}}, nil
	}
	for part := range strings.SplitSeq(text, " | ") {
		code, isExit := strings.CutPrefix(part, "exit ")
		switch {
		case isExit:
			if s.exit, err = strconv.Atoi(code); err != nil {
				return s, err
			}
		case part == "stderr":
			s.stderr = true
		default:
			from, to, isRange := strings.Cut(part, "..")
			var pair [2]*regexp.Regexp
			if pair[0], err = slashed(from); err != nil {
				return s, err
			}
			if isRange {
				if pair[1], err = slashed(to); err != nil {
					return s, err
				}
			}
			s.ranges = append(s.ranges, pair)
		}
	}
	return s, nil
}

func slashed(text string) (*regexp.Regexp, error) {
	if len(text) < 2 || text[0] != '/' || text[len(text)-1] != '/' {
		return nil, fmt.Errorf("%q is no /pattern/", text)
	}
	return regexp.Compile(text[1 : len(text)-1])
}

// pick keeps the lines that a block shows; every pattern has to match something.
func (s show) pick(out string) (string, error) {
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	keep := make([]bool, len(lines))
	for _, r := range s.ranges {
		found, inside := false, false
		for i, l := range lines {
			switch {
			case inside:
				keep[i] = true
				inside = !r[1].MatchString(l)
			case r[0].MatchString(l):
				keep[i], found = true, true
				inside = r[1] != nil
			}
		}
		if !found {
			return "", fmt.Errorf("nothing matches /%v/ in\n%s", r[0], out)
		}
	}
	var b strings.Builder
	gap := false
	for i, l := range lines {
		if !keep[i] {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteString("…\n")
		}
		gap = false
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String(), nil
}

// words splits a command as a shell does, as far as pages need: blanks, and double quotes around them.
func words(command string) (list []string) {
	for i, part := range strings.Split(command, `"`) {
		switch {
		case i%2 == 0:
			list = append(list, strings.Fields(part)...)
		case strings.HasSuffix(command[:strings.Index(command, `"`+part+`"`)], " "):
			list = append(list, part)
		default:
			list[len(list)-1] += part
		}
	}
	return list
}

// printer runs each command of a page once.
type printer map[string][2]string

// printed is what a command prints, on the stream that the block shows.
func (p printer) printed(t *testing.T, command string, s show) string {
	t.Helper()
	stream := 0
	if s.stderr {
		stream = 1
	}
	if out, ok := p[command]; ok {
		return out[stream]
	}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), env{
		Args: quickly(words(command)), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(string) string { return "" }, Now: time.Now, CPUs: runtime.NumCPU(),
		RunAll: experiment.RunAll,
	})
	if code != s.exit {
		t.Errorf("%s: exit %d, want %d\n%s%s", command, code, s.exit, &stdout, &stderr)
	}
	p[command] = [2]string{stdout.String(), stderr.String()}
	return p[command][stream]
}

// runBlock runs the command of a block and returns the block with what it prints now.
func (p printer) runBlock(t *testing.T, block []string) string {
	t.Helper()
	comment, command := block[1], block[3]
	s, err := parseShow(block[2])
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	out := p.printed(t, command, s)
	if out, err = s.pick(out); err != nil {
		t.Errorf("%s: %v", command, err)
		return block[0]
	}
	return comment + "```console\n$ simrun " + command + "\n" + out + "```"
}

// checkPage runs every block of a page and compares it with what is there.
func checkPage(t *testing.T, path string, least int) {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(pageBlock.FindAll(page, -1)); n < least {
		t.Fatalf("%s has %d commands, want at least %d", path, n, least)
	}
	t.Chdir(t.TempDir())
	p := printer{}
	now := pageBlock.ReplaceAllStringFunc(string(page), func(block string) string {
		fresh := p.runBlock(t, pageBlock.FindStringSubmatch(block))
		if fresh != block && !*update {
			t.Errorf("%s shows\n%s\nbut it is\n%s\n(go test ./cmd/simrun -run Page -update)", path, block, fresh)
		}
		return fresh
	})
	if *update {
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil { //nolint:gosec // a page of the docs
			t.Fatal(err)
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`).FindAllStringSubmatch(now, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), link[1])); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Goal: each of the twelve questions has the command and the number that answers it, with real output.
func TestPageOfQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs some twenty scenarios")
	}
	checkPage(t, "../../docs/questions.md", 12)
}

// Goal: the comparison that the README shows is what simrun prints.
func TestPageOfReadme(t *testing.T) { checkPage(t, "../../README.md", 1) }

func TestPageBlocks(t *testing.T) {
	s, err := parseShow(`/^b/../^d/ | /^f/ | exit 3`)
	if err != nil || s.exit != 3 {
		t.Fatal(err, s)
	}
	if got, err := s.pick("a\nb\nc\nd\ne\nf\ng\n"); err != nil || got != "b\nc\nd\n…\nf\n" {
		t.Errorf("kept %q, %v", got, err)
	}
	if _, err := s.pick("a\nb\nc\n"); err == nil {
		t.Error("a pattern without a match passes")
	}
	got := words(`run x --set a="b c" "d e" f`)
	if want := []string{"run", "x", "--set", "a=b c", "d e", "f"}; !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
}
