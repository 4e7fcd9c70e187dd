package model

import (
	"testing"

	"simrun/model/config/configtest"
)

func TestNewPanicsOnAMistake(t *testing.T) {
	defer func() {
		got, _ := recover().(string)
		if want := "model: invalid configuration: broker.b01.startup: must not be negative"; got != want {
			t.Errorf("panics with %q, want %q", got, want)
		}
	}()
	cfg := configtest.Small("5.3.3", 2)
	cfg.Brokers[1].Startup = -1
	New(cfg, nil)
}
