package strategy

import "testing"

// Codes have the names of RocketMQ's source, and one that has none here is shown by its number.
func TestCodeName(t *testing.T) {
	for code, want := range map[int]string{
		0: "SUCCESS", 2: "SYSTEM_BUSY", 11: "SLAVE_NOT_AVAILABLE", 14: "SERVICE_NOT_AVAILABLE",
		10005: "NOT_FOUND_TOPIC_EXCEPTION", 99: "code 99",
	} {
		if got := CodeName(code); got != want {
			t.Errorf("code %d: %s, want %s", code, got, want)
		}
	}
	seen := map[int]bool{}
	for _, c := range codeNames {
		if seen[c.code] {
			t.Errorf("code %d is there twice", c.code)
		}
		seen[c.code] = true
	}
}
