package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"simrun/internal/result"
	"simrun/report/store"
)

// StoriesFile has the stories of a run's exemplars. They are told after the rest is saved: see AddStories.
const StoriesFile = "stories.json"

// storiesDoc is what StoriesFile holds: whose stories they are, and the stories.
type storiesDoc struct {
	Schema  int            `json:"schema"`
	Digest  string         `json:"digest"`
	Stories []result.Story `json:"stories"`
}

// storiesJSON is stories.json, nothing of a run without stories.
func storiesJSON(in *input) ([]byte, error) {
	if len(in.run.Stories) == 0 {
		return nil, nil
	}
	return result.JSON(&storiesDoc{result.Schema, in.run.Digest, in.run.Stories})
}

// readStories takes stories.json into the run.
func readStories(r *result.Run, rd io.Reader) error {
	var doc storiesDoc
	if err := json.NewDecoder(rd).Decode(&doc); err != nil {
		return err
	}
	if doc.Digest != r.Digest {
		return fmt.Errorf("the stories are of another run (digest %q) than %s (%q)", doc.Digest, SummaryFile,
			r.Digest)
	}
	r.Stories = doc.Stories
	return nil
}

// withStories is the run with the stories that dir has of it. Where there are none, or those of another run,
// it is the run as it is.
func withStories(dir string, r *result.Run) *result.Run {
	f, err := os.Open(filepath.Join(dir, StoriesFile))
	if err != nil || len(r.Stories) > 0 {
		return r
	}
	defer f.Close() //nolint:errcheck // it was only read
	told := *r
	if readStories(&told, f) != nil {
		return r
	}
	return &told
}

// storyMark is what a page has for each story that it tells.
const storyMark = `<div class="story">`

// HasStories says whether stories were told of the results in dir: they are stored, or the page tells them.
func HasStories(dir string) bool {
	if store.Has(dir, StoriesFile) {
		return true
	}
	page, err := os.ReadFile(filepath.Join(dir, HTMLFile))
	return err == nil && bytes.Contains(page, []byte(storyMark))
}

// LostStories says whether the page in dir tells stories that are not stored any more, so that a page drawn
// from what is stored would lack them.
func LostStories(dir string) bool { return HasStories(dir) && !store.Has(dir, StoriesFile) }

// AddStories adds stories to the results in dir, which [Save] has written with the same f, and to what is
// made from stories. Files that have them already stay as they are. Errors are *store.IOError.
func AddStories(dir string, stories []result.Story, f Files) error {
	r, err := Load(dir)
	if err != nil {
		return err
	}
	r.Stories = stories
	in := &input{run: r, files: &f}
	for _, a := range artefacts {
		if !a.tells {
			continue
		}
		data, err := a.render(in)
		if err != nil {
			return fmt.Errorf("report: %s: %w", a.path, err)
		}
		if len(data) == 0 {
			continue
		}
		if _, err := store.Rewrite(dir, []store.File{{Path: a.path, Data: data}}); err != nil {
			return err
		}
	}
	return nil
}
