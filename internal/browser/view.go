package main

import (
	"context"
	_ "embed" // for the checks
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// view is a way in which a reader sees a page.
type view struct {
	name      string
	width     int64
	dark      bool
	print     bool
	noScripts bool
	// picture: it is worth one.
	picture bool
}

// A4 less the margins of the page, in CSS pixels.
const printWidth = 703

// views are both themes at three widths, print, and a reader without scripts.
func views() []view {
	var list []view
	for _, width := range []int64{360, 768, 1440} {
		for _, dark := range []bool{false, true} {
			theme := "light"
			if dark {
				theme = "dark"
			}
			list = append(list, view{name: fmt.Sprintf("%s-%d", theme, width), width: width, dark: dark, picture: true})
		}
	}
	return append(list,
		view{name: "print", width: printWidth, print: true, picture: true},
		// Who prints from a dark desktop gets a light page, too.
		view{name: "print-dark", width: printWidth, print: true, dark: true},
		view{name: "no-scripts", width: 1440, noScripts: true})
}

// seen is what came of a look at a page.
type seen struct {
	complaints   []string
	picture, pdf []byte
}

// checks is evaluated in the page and returns a list of complaints.
//
//go:embed checks.js
var checks string

// open loads a page in a tab of its own, as a view has it.
func open(browser context.Context, page string, v view) (seen, error) {
	path, err := filepath.Abs(page)
	if err != nil {
		return seen{}, err
	}
	const patience = time.Minute
	ctx, leave := chromedp.NewContext(browser)
	defer leave()
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	url := "file://" + path
	w := &watcher{url: url}
	if err := chromedp.Listen(ctx, w.event); err != nil {
		return seen{}, err
	}
	if err := prepare(ctx, v); err != nil {
		return seen{}, err
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return seen{}, err
	}
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](checks))
	if err != nil {
		return seen{}, fmt.Errorf("checks: %w", err)
	}
	s := seen{complaints: append(w.list(), found...)}
	if v.picture {
		if s.picture, err = chromedp.Run(ctx, chromedp.FullScreenshot(100)); err != nil {
			return s, err
		}
	}
	if v.print && v.picture {
		s.pdf, err = chromedp.Run(ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	}
	return s, err
}

// prepare makes the tab what the view asks for.
func prepare(ctx context.Context, v view) error {
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		return err
	}
	const height = 900
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(v.width, height)); err != nil {
		return err
	}
	scheme, media := "light", ""
	if v.dark {
		scheme = "dark"
	}
	if v.print {
		media = "print"
	}
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil || !v.noScripts {
		return err
	}
	_, err = chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
}

// watcher hears what goes on in a tab.
type watcher struct {
	url string
	mu  sync.Mutex
	bad []string
}

func (w *watcher) event(ev any) {
	switch e := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			w.complain("console: error %s", argsText(e.Args))
		}
	case *runtime.EventExceptionThrown:
		w.complain("console: exception %s", e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			w.complain("console: %s", e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; u != w.url && !strings.HasPrefix(u, "data:image/") {
			w.complain("request: %s", u)
		}
	}
}

func argsText(args []*runtime.RemoteObject) string {
	var words []string
	for _, a := range args {
		words = append(words, string(a.Value)+a.Description)
	}
	return strings.Join(words, " ")
}

func (w *watcher) complain(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bad = append(w.bad, fmt.Sprintf(format, args...))
}

func (w *watcher) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.bad...)
}
