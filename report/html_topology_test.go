package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"simrun/internal/result"
)

// crowd is a run of many brokers, groups and name servers with long names, and faults of every process.
func crowd(brokers, groups, servers, faults int) *result.Run {
	r := &result.Run{}
	long := func(s string, i int) string { return s + "-with-a-rather-long-name-" + strconv.Itoa(i) }
	for i := range brokers {
		r.Setup.Brokers = append(r.Setup.Brokers, result.SetupBroker{
			Name: long("broker", i), Slaves: i % 4, BrokerRole: "SYNC_MASTER", FlushDiskType: "ASYNC_FLUSH",
		})
	}
	for i := range groups {
		r.Setup.Producers = append(r.Setup.Producers, result.SetupProducer{
			Name: long("group", i), Client: "java-5.3.3 with many-behaviours-of-its-own", Count: 1000, Threads: 32,
			Load: "closed loop of 64 threads, think lognormal(median 10ms, p99 100ms)",
		})
	}
	for i := range servers {
		r.Setup.NameServers = append(r.Setup.NameServers, long("name", i))
	}
	var all []string
	for _, b := range r.Setup.Brokers {
		all = append(all, replicas(b)...)
	}
	for _, g := range r.Setup.Producers {
		all = append(all, instances(g)[:1]...)
	}
	for _, n := range r.Setup.NameServers {
		all = append(all, "name_server:"+n)
	}
	for i := range faults {
		r.Faults = append(r.Faults, result.Fault{Name: "f", Kind: "partition", Targets: all[i%2:], To: all[:1]})
	}
	return r
}

var (
	topologyText = regexp.MustCompile(`<text class="([^"]*)" x="(-?\d+)" y="(-?\d+)">([^<]*)</text>`)
	topologyBox  = regexp.MustCompile(`viewBox="-1 0 (\d+) (\d+)"`)
)

// The drawing is legible with one broker and with many: no text leaves it, none covers another.
func TestTopologyIsLegible(t *testing.T) {
	zoned := crowd(9, 2, 2, 1)
	for _, b := range zoned.Setup.Brokers {
		zone := "zone-" + strconv.Itoa(len(b.Name)%2)
		zoned.Setup.Places = append(zoned.Setup.Places, result.SetupPlace{Zone: zone, Runs: replicas(b)})
	}
	for name, r := range map[string]*result.Run{
		"nothing": {}, "one": crowd(1, 1, 1, 1), "twelve": crowd(12, 6, 8, 2), "thirteen": crowd(13, 7, 9, 3),
		"sixty-four": crowd(64, 1, 3, 4), "a thousand": crowd(1000, 40, 3, 12), "zones": zoned,
	} {
		t.Run(name, func(t *testing.T) {
			svg := string(topologyOf(r).view().SVG)
			m := topologyBox.FindStringSubmatch(svg)
			width, height := atoi(t, m[1]), atoi(t, m[2])
			type area struct {
				x0, y0, x1, y1 int
				text           string
			}
			var seen []area
			for _, m := range topologyText.FindAllStringSubmatch(svg, -1) {
				size := vg.Length(smallText)
				if m[1] == "name" {
					size = nameText
				}
				x, y := atoi(t, m[2]), atoi(t, m[3])
				w := int(textStyle(size, m[1] == "name", black).Width(m[4]) + 0.5)
				if strings.HasPrefix(m[1], "badge") {
					x -= w / 2
				}
				a := area{x, y - int(size) + 2, x + w, y + 2, m[4]}
				if a.x0 < -1 || a.y0 < 0 || a.x1 > width-1 || a.y1 > height {
					t.Errorf("%q leaves the drawing", a.text)
				}
				for _, b := range seen {
					if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
						t.Errorf("%q covers %q", a.text, b.text)
					}
				}
				seen = append(seen, a)
			}
			const few = 3
			if len(seen) < few {
				t.Errorf("%d texts", len(seen))
			}
		})
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Faults are marked on what they strike: here the master of a and a name server, and not the slave.
func TestTopologyMarks(t *testing.T) {
	r := crowd(2, 1, 1, 0)
	r.Setup.Brokers[0].Name, r.Setup.Brokers[0].Slaves = "a", 1
	r.Setup.NameServers = []string{"n1"}
	r.Faults = []result.Fault{
		{Name: "one", Targets: []string{"a:0"}},
		{Name: "two", Targets: []string{"name_server:n1"}, To: []string{"a:1"}},
	}
	top := topologyOf(r)
	for _, c := range []struct {
		process       string
		struck, other []int
	}{
		{"a:0", []int{0}, nil}, {"a:1", nil, []int{1}}, {"name_server:n1", []int{1}, nil},
	} {
		if m := top.marksOf(c.process); !slices.Equal(m.struck, c.struck) || !slices.Equal(m.other, c.other) {
			t.Errorf("%s: %+v", c.process, m)
		}
	}
	svg := string(top.view().SVG)
	if n := strings.Count(svg, `"process struck"`); n != 1 {
		t.Errorf("%d processes are marked, want the master of a", n)
	}
	if n := strings.Count(svg, `"box struck"`); n != 1 {
		t.Errorf("%d boxes are marked, want the name server", n)
	}
}
