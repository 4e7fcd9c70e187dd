package scenarios

import (
	"fmt"
	"testing"

	"simrun/strategy"
)

// Releases mix freely: every client with every other release of cluster, each process of its own.
func TestReleasesMixFreely(t *testing.T) {
	releases := strategy.Releases()
	for i, client := range releases {
		broker, nameServer := releases[(i+7)%len(releases)], releases[(i+19)%len(releases)]
		text := fmt.Sprintf(`release = "4.9.8"
[name_server.n1]
release = %q
[name_server.n2]
[broker.a]
release = %q
[broker.b]
[producer.p]
client = "java-%s"
rate = "100/s"
[producer.q]
rate = "100/s"
`, nameServer, broker, client)
		sc, err := Load("./x.toml", Options{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
		if err != nil {
			t.Fatal(err)
		}
		c := &sc.Config
		got := []string{
			c.NameServers[0].Release, c.NameServers[1].Release, c.Brokers[0].Release, c.Brokers[1].Release,
			c.Producers[0].Release, c.Producers[1].Release,
		}
		want := []string{nameServer, "4.9.8", broker, "4.9.8", client, "4.9.8"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("releases %v, want %v", got, want)
		}
	}
}
