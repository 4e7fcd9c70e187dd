package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"simrun/model/config"
	"simrun/strategy"
)

// plan finds out which variants are wanted.
type plan struct {
	l    *loader
	base *Scenario
	// valid: the scenario as it stands is.
	valid bool
	// only is the name of the one variant that is wanted besides the base; "" for what the options ask.
	only string
	// alone: only those that flags name are wanted, in their order.
	alone bool
	// all are the variants of the file and of the flags, by name.
	all []*variant
	// named are those that --variant flags name; picked is true if one of them has the name alone.
	named  []string
	picked bool
}

// madeChange is what a flag such as --versions makes of a key of several tables.
type madeChange struct {
	src   *source
	kinds []string
	key   string
	// text is TOML.
	text string
	// javaOnly leaves out producers of the Go client.
	javaOnly bool
}

// Ranks of sources in reports, behind any number of --set flags.
const (
	variantFlagRank = 1 << 20
	madeFlagRank    = 1 << 21
	overFlagRank    = 1 << 24
)

// variants are those that are wanted, in order. What is wrong with flags is reported.
func (p *plan) variants() ([]*variant, error) {
	for _, t := range variantTables(p.l.root) {
		if len(p.all) < maxVariants {
			p.all = append(p.all, &variant{name: t.name, table: t})
		}
	}
	for i, text := range p.l.opt.Variants {
		src := newSource(fmt.Sprintf("--variant[%d]", i+1), text)
		src.flag, src.own, src.rank = true, true, variantFlagRank+i
		p.flag(src)
	}
	p.unnamed()
	base := &variant{name: BaseName}
	if p.only != "" {
		v := p.find(p.only)
		if v == nil && countErrors(p.l.sorted()) == 0 {
			return nil, p.noVariant(p.only)
		}
		return withoutNil(base, v), nil
	}
	if p.alone && len(p.named) == 0 {
		return []*variant{base}, nil
	}
	if p.alone {
		var list []*variant
		for _, name := range p.named {
			if name == BaseName {
				list = append(list, base)
			} else if v := p.find(name); v != nil {
				list = append(list, v)
			}
		}
		return list, nil
	}
	made, err := p.crossed()
	if err != nil {
		return nil, err
	}
	list := []*variant{base}
	isMade := len(p.l.opt.Versions)+len(p.l.opt.BrokerVersions)+len(p.l.opt.Policies) > 0
	switch {
	case isMade && slices.Contains(p.named, BaseName):
		list = append(list, made...)
	case isMade:
		list = made
	}
	for _, v := range p.all {
		isNamed := slices.Contains(p.named, v.name)
		if isNamed || !isMade && !p.picked {
			p.takenName(made, v)
			list = append(list, v)
		}
	}
	return list, nil
}

// takenName reports a variant of a flag such as --policies that is called as another one is.
func (p *plan) takenName(made []*variant, v *variant) {
	i := slices.IndexFunc(made, func(m *variant) bool { return m.name == v.name })
	if i < 0 {
		return
	}
	src := made[i].made[0].src
	p.l.flag(src, span{0, len(src.text)}, "", "makes a variant %q, and another one has that name", v.name).
		Hint = "give that one another"
}

func withoutNil(list ...*variant) []*variant {
	return slices.DeleteFunc(list, func(v *variant) bool { return v == nil })
}

func (p *plan) find(name string) *variant {
	i := slices.IndexFunc(p.all, func(v *variant) bool { return v.name == name })
	if i < 0 {
		return nil
	}
	return p.all[i]
}

// flag reads one --variant flag.
func (p *plan) flag(src *source) {
	text := src.text
	colon, equals := strings.IndexByte(text, ':'), strings.IndexByte(text, '=')
	whole := span{0, len(text)}
	if colon < 0 && equals >= 0 || equals >= 0 && equals < colon {
		p.l.flag(src, whole, "", "%q names no variant; it is written as NAME:KEY=VALUE", text)
		return
	}
	name := text
	if colon >= 0 {
		name = text[:colon]
	}
	switch {
	case name == BaseName && colon >= 0:
		p.l.flag(src, span{0, colon}, "", "%q is the scenario as it stands", name).Hint =
			"--set " + text[colon+1:] + " changes it, and all variants with it"
		return
	case !isName(name):
		p.l.flag(src, span{0, len(name)}, "",
			"%q is not a name; letters, digits, - and _ are, at most %d of them", name, maxName)
		return
	case colon >= 0 && equals < 0:
		p.l.flag(src, span{colon + 1, len(text)}, "", "%q sets nothing; it is written as NAME:KEY=VALUE",
			text[colon+1:])
		return
	}
	if !slices.Contains(p.named, name) {
		p.named = append(p.named, name)
	}
	if colon < 0 {
		p.picked = true
		return
	}
	v := p.find(name)
	if v == nil {
		if len(p.all) >= maxVariants {
			p.l.flag(src, whole, "", "there can be %d variants", maxVariants)
			return
		}
		v = &variant{name: name}
		p.all = append(p.all, v)
	}
	v.flags = append(v.flags, src)
}

// unnamed reports flags that pick variants which do not exist.
func (p *plan) unnamed() {
	for i, text := range p.l.opt.Variants {
		if !isName(text) || text == BaseName || p.find(text) != nil {
			continue
		}
		src := newSource(fmt.Sprintf("--variant[%d]", i+1), text)
		src.flag, src.own, src.rank = true, true, variantFlagRank+i
		p.l.flag(src, span{0, len(text)}, "", "the scenario has no [variant.%s]", text).Hint = p.hint(text)
	}
}

// hint says which variants there are.
func (p *plan) hint(name string) string {
	var names []string
	for _, v := range p.all {
		names = append(names, v.name)
	}
	if near := nearest(name, names); near != "" {
		return didYouMean(near)
	}
	if len(names) == 0 {
		return "it has none; NAME:KEY=VALUE makes one"
	}
	return "it has " + andList(names)
}

// noVariant says that a variant does not exist.
func (p *plan) noVariant(name string) error {
	return &Misuse{fmt.Sprintf("%s has no [variant.%s]; %s", p.l.in.file, name, p.hint(name))}
}

// crossed are the combinations of releases and policies.
func (p *plan) crossed() ([]*variant, error) {
	opt := &p.l.opt
	if len(opt.Versions)+len(opt.Policies) > 0 && p.valid && !p.hasJava() {
		flag, what := "--versions", "is about the release of Java clients"
		if len(opt.Versions) == 0 {
			flag, what = "--policies", "is about the rules of Java clients"
		}
		return nil, &Misuse{fmt.Sprintf("%s %s, and no producer of %s has one", flag, what, p.l.in.file)}
	}
	list := []*variant{{}}
	for _, axis := range [][]*variant{
		p.axis("--versions", madeFlagRank, opt.Versions, p.version),
		p.axis("--broker-versions", 2*madeFlagRank, opt.BrokerVersions, p.brokerVersion),
		p.axis("--policies", 3*madeFlagRank, opt.Policies, p.policy),
	} {
		if axis == nil {
			continue
		}
		var next []*variant
		for _, a := range list {
			for _, b := range axis {
				next = append(next, &variant{
					name: strings.TrimPrefix(a.name+"+"+b.name, "+"), made: slices.Concat(a.made, b.made),
				})
			}
		}
		if list = next; len(list) > maxVariants {
			return nil, &Misuse{fmt.Sprintf("these flags make %d variants; there can be %d", len(list),
				maxVariants)}
		}
	}
	if len(list) == 1 && list[0].name == "" {
		return nil, nil
	}
	return list, nil
}

// axis are the variants of one flag; those that nobody knows are reported and left out.
func (p *plan) axis(
	flag string, rank int, values []string, read func(n *node, text string) (*variant, bool),
) (list []*variant) {
	for i, text := range values {
		src := newSource(fmt.Sprintf("%s[%d]", flag, i+1), text)
		src.flag, src.own, src.rank = true, true, rank+i
		whole := span{0, len(text)}
		n := &node{src: src, at: whole, val: whole, scalar: text}
		v, ok := read(n, text)
		if !ok {
			continue
		}
		if slices.ContainsFunc(list, func(o *variant) bool { return o.name == v.name }) {
			p.l.fail(n, "%s is named twice", text)
			continue
		}
		for k := range v.made {
			v.made[k].src = src
		}
		list = append(list, v)
	}
	return list
}

// hasJava says whether any producer has the Java client.
func (p *plan) hasJava() bool {
	return slices.ContainsFunc(p.base.Config.Producers, func(q config.Producer) bool {
		return q.Client == config.JavaClient
	})
}

func (p *plan) version(n *node, text string) (*variant, bool) {
	if strings.HasPrefix(text, goPrefix) {
		p.l.fail(n, "%q is no Java client; clients of Go keep the release that they have", text)
		return nil, false
	}
	release, ok := p.release(n, strings.TrimPrefix(text, javaPrefix))
	c := client{config.JavaClient, release}.String()
	return &variant{name: c, made: []madeChange{
		{kinds: []string{tableProducer}, key: "client", text: quote(c), javaOnly: true},
	}}, ok
}

// release looks up a release and reports one that is unknown.
func (p *plan) release(n *node, name string) (string, bool) {
	profile, err := strategy.Lookup(name)
	if err != nil {
		p.l.fail(n, "%s", strings.TrimPrefix(err.Error(), "strategy: "))
		return "", false
	}
	return profile.Release, true
}

// brokerVersion is of a whole cluster: its name servers are brought up with its brokers.
func (p *plan) brokerVersion(n *node, text string) (*variant, bool) {
	release, ok := p.release(n, text)
	return &variant{name: "broker-" + release, made: []madeChange{
		{kinds: []string{tableNameServer, tableBroker}, key: "release", text: quote(release)},
	}}, ok
}

func (p *plan) policy(n *node, text string) (*variant, bool) {
	known := strategy.Policies()
	if !slices.Contains(known, text) {
		problem := p.l.fail(n, "there is no policy %q; there are %s", text, andList(known))
		if near := nearest(text, known); near != "" {
			problem.Hint = didYouMean(near)
		}
		return nil, false
	}
	return &variant{name: text, made: []madeChange{
		{kinds: []string{tableProducer}, key: "policy", text: quote(text), javaOnly: true},
	}}, true
}
