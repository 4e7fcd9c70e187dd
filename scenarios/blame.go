package scenarios

import (
	"strconv"
	"strings"
)

// blame finds the --set flag that makes a problem of a path whose own text is innocent; nil if the
// text is to blame, or a flag that stands there already. The message may name another key of the
// table, with which the value does not agree.
func (l *loader) blame(path, message string) *node {
	key, step, isElement := strings.Cut(path, "[")
	n, _ := l.find(path)
	switch {
	case n != nil && n.src.flag:
		return nil
	case isElement && l.inFile(key) && !l.touched(key, elementOf("["+step)):
		return nil
	}
	if flags := l.sets[key]; len(flags) > 0 {
		return flags[len(flags)-1].node
	}
	dot := strings.LastIndexByte(key, '.')
	if dot < 0 {
		return nil
	}
	table, _, _ := strings.Cut(key, ".")
	tk := tableOf(table)
	if tk == nil {
		return nil
	}
	for _, word := range strings.Fields(message) {
		if tk.key(word) == nil {
			continue
		}
		if flags := l.sets[joinPath(key[:dot], word)]; len(flags) > 0 {
			return flags[len(flags)-1].node
		}
	}
	return nil
}

// elementOf is the index in a step that was found good: 4 of "[4]".
func elementOf(step string) int {
	i, _ := strconv.Atoi(strings.Trim(step, "[]"))
	return i
}

// inFile says whether the file has a key.
func (l *loader) inFile(path string) bool {
	n := l.root
	for name := range strings.SplitSeq(path, ".") {
		if n = n.child(name); n == nil {
			return false
		}
	}
	return true
}

// touched says whether a flag sets an element of a list, or the one before it: of values that rise,
// each is compared with that.
func (l *loader) touched(path string, i int) bool {
	for _, a := range l.sets[path] {
		if len(a.inside) == 0 {
			continue
		}
		if set := elementOf(a.inside[0]); set == i || set == i-1 {
			return true
		}
	}
	return false
}

// move makes a reported problem stand at another place.
func move(p *Problem, to *node) {
	*p = to.src.problem(to.val, p.Path, p.Message)
}
