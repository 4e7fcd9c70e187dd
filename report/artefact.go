package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"simrun/internal/result"
	"simrun/report/store"
)

// artefact is one of the files in a directory of results.
type artefact struct {
	// path is below the directory, with slashes.
	path string
	// render makes the file. No bytes: this run has no such file, or nobody asked for it.
	render func(*input) ([]byte, error)
	// read takes what is stored in the file alone into a run; nil if nothing is. A run without the file
	// reads nothing.
	read func(*result.Run, io.Reader) error
	// must: results without the file are damaged.
	must bool
	// tells: it has the stories, if there are any, so that it is made again once they are told.
	tells bool
}

// derived says that the file is drawn from what others store: it can be drawn again from the directory.
func (a *artefact) derived() bool { return a.read == nil }

// artefacts are all files of a directory of results, but for the manifest (first, and written last), the
// scenario and its files, the figures, and those that were written while the run was simulated. To have one
// more, add a line.
var artefacts = []artefact{
	{
		path: SummaryFile, must: true,
		render: func(in *input) ([]byte, error) { return SummaryJSON(in.run) },
		read:   func(r *result.Run, rd io.Reader) error { return json.NewDecoder(rd).Decode(r) },
	},
	{path: TextFile, render: summaryText},
	{
		path: SeriesFile, must: true,
		render: func(in *input) ([]byte, error) { return SeriesCSV(in.run) },
		read: func(r *result.Run, rd io.Reader) (err error) {
			r.Series, err = ParseSeries(rd)
			return err
		},
	},
	latencyFile, sampleFile, isolationsFile, queuesFile, instancesFile,
	{path: HGRMFile, render: func(in *input) ([]byte, error) { return LatencyHGRM(in.run), nil }},
	{path: JUnitFile, render: func(in *input) ([]byte, error) { return JUnitXML(in.run) }},
	{path: ExpectFile, render: func(in *input) ([]byte, error) { return ExpectJSON(in.run) }},
	{path: StoriesFile, render: storiesJSON, read: readStories, tells: true},
	{path: HTMLFile, render: reportHTML, tells: true},
}

// input is what artefacts are rendered from. It draws each figure once, whoever asks for it.
type input struct {
	run   *result.Run
	files *Files

	figures []*Figure
	drawn   map[string][]byte // by file name
}

// allFigures are the figures of the run.
func (in *input) allFigures() []*Figure {
	if in.figures == nil {
		in.figures = Figures(in.run)
	}
	return in.figures
}

// draw renders a figure of the run.
func (in *input) draw(f *Figure, format string) ([]byte, error) {
	name := f.Name + "." + format
	if data := in.drawn[name]; data != nil {
		return data, nil
	}
	data, err := f.Render(format)
	if err != nil {
		return nil, err
	}
	if in.drawn == nil {
		in.drawn = map[string][]byte{}
	}
	in.drawn[name] = data
	return data, nil
}

// render makes all files in memory; the manifest comes first.
func render(r *result.Run, f *Files) ([]store.File, error) {
	manifest, err := result.JSON(complete(f, r))
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", store.ManifestFile, err)
	}
	files := []store.File{
		{Path: store.ManifestFile, Data: manifest}, {Path: ScenarioFile, Data: f.ScenarioTOML},
	}
	files = append(files, f.Beside...)
	drawn, err := renderArtefacts(r, f, func(*artefact) bool { return true })
	return append(files, drawn...), err
}

// renderArtefacts makes the artefacts that are wanted, and the figures.
func renderArtefacts(r *result.Run, f *Files, wanted func(*artefact) bool) ([]store.File, error) {
	var files []store.File
	in := &input{run: r, files: f}
	for i := range artefacts {
		a := &artefacts[i]
		if !wanted(a) {
			continue
		}
		data, err := a.render(in)
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", a.path, err)
		}
		if len(data) > 0 {
			files = append(files, store.File{Path: a.path, Data: data})
		}
	}
	if len(f.Plots) == 0 {
		return files, nil
	}
	for _, figure := range in.allFigures() {
		for _, format := range f.Plots {
			if figure.Raster && format != "png" {
				continue
			}
			data, err := in.draw(figure, format)
			if err != nil {
				return nil, err
			}
			files = append(files, store.File{Path: PlotsDir + "/" + figure.Name + "." + format, Data: data})
		}
	}
	return files, nil
}

// File is one of the files of a directory of results, drawn from the run; nothing if a run like it has none.
func File(path string, r *result.Run) ([]byte, error) {
	for i := range artefacts {
		if artefacts[i].path == path {
			return artefacts[i].render(&input{run: r, files: &Files{}})
		}
	}
	return nil, fmt.Errorf("report: there is no file %s", path)
}

// summaryText is summary.txt.
func summaryText(in *input) ([]byte, error) {
	var b bytes.Buffer
	err := Summary(&b, in.run, TextOptions{})
	return b.Bytes(), err
}

// complete fills in what the run and the scenario know.
func complete(f *Files, r *result.Run) result.Manifest {
	m := f.Manifest
	m.Schema = result.Schema
	m.Scenario.Name = r.Scenario
	m.Scenario.EffectiveSHA256 = store.SHA256(f.ScenarioTOML)
	m.Overrides = list(m.Overrides)
	m.Seed, m.Key, m.Digest, m.Complete = r.Seed, r.Key, r.Digest, r.Complete
	m.Events, m.DurationNS, m.SimulatedNS = r.Events, r.DurationNS, r.SimulatedNS
	return m
}
