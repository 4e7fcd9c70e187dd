package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/chromedp/chromedp"
)

// chromiumNames are what Chromium and its kin are called.
var chromiumNames = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell",
	"chrome-headless-shell", "microsoft-edge",
}

func lookPath(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// findChromium finds the browser: the one that CHROMIUM names, or the first one on the path.
func findChromium(getenv, look func(string) string) (string, error) {
	if name := getenv("CHROMIUM"); name != "" {
		if path := look(name); path != "" {
			return path, nil
		}
		return "", errors.New("CHROMIUM names " + name + ", which is no program")
	}
	for _, name := range chromiumNames {
		if path := look(name); path != "" {
			return path, nil
		}
	}
	return "", errors.New("no Chromium is on the path (" + strings.Join(chromiumNames, ", ") +
		"): install one, or name it with CHROMIUM=/path/to/chromium")
}

// start starts the browser; quit ends it.
func start(ctx context.Context, path string) (browser context.Context, quit func(), err error) {
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.Flag("hide-scrollbars", true))
	if os.Geteuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // it refuses to run as root with one
	}
	alloc, end := chromedp.NewExecAllocator(ctx, opts...)
	browser, leave := chromedp.NewContext(alloc)
	quit = func() { leave(); end() }
	if err := chromedp.Do(browser); err != nil {
		quit()
		return nil, nil, errors.New(path + " does not start: " + err.Error())
	}
	return browser, quit, nil
}
