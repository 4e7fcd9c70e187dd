package report

import (
	"encoding/xml"
	"strconv"

	"simrun/internal/result"
)

// judgement is expect.json: what came of the expectations, without the rest of summary.json.
type judgement struct {
	Schema       int                  `json:"schema"`
	Scenario     string               `json:"scenario"`
	Seed         uint64               `json:"seed"`
	Digest       string               `json:"digest"`
	Complete     bool                 `json:"complete"`
	Verdict      result.Verdict       `json:"verdict"`
	Expectations []result.Expectation `json:"expectations"`
}

// ExpectJSON is expect.json.
func ExpectJSON(r *result.Run) ([]byte, error) {
	return result.JSON(judgement{
		Schema: r.Schema, Scenario: r.Scenario, Seed: r.Seed, Digest: r.Digest, Complete: r.Complete,
		Verdict: r.Verdict, Expectations: list(r.Expectations),
	})
}

// The elements of JUnit's XML that tools agree on.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Time    string       `xml:"time,attr"`
		Failure *junitReason `xml:"failure"`
		Error   *junitReason `xml:"error"`
		Skipped *junitReason `xml:"skipped"`
		Out     string       `xml:"system-out,omitempty"`
	}
	junitReason struct {
		Message string `xml:"message,attr,omitempty"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnitXML is junit.xml, for build servers: a suite for the run and a case for each expectation. One that
// failed is a failure with its limit and the value found, one that is undecided an error, since nobody knows
// whether it holds. Times are of the simulation.
func JUnitXML(r *result.Run) ([]byte, error) {
	seconds := strconv.FormatFloat(float64(r.SimulatedNS)/1e9, 'f', -1, 64)
	suite := junitSuite{
		Name: r.Title() + " seed " + strconv.FormatUint(r.Seed, 10), Time: seconds,
		Tests: len(r.Expectations),
		Properties: []junitProperty{
			{"seed", strconv.FormatUint(r.Seed, 10)},
			{"key", r.Key},
			{"digest", r.Digest},
			{"complete", strconv.FormatBool(r.Complete)},
			{"verdict", string(r.Verdict)},
		},
	}
	for _, e := range r.Expectations {
		c := junitCase{Class: "simrun." + r.Scenario, Name: e.Name, Time: "0"}
		text := expectationText(e) + ": " + foundText(e)
		why := &junitReason{Message: text, Type: e.Metric, Text: e.Reason}
		switch {
		case e.Skipped:
			suite.Skipped++
			c.Skipped = &junitReason{Message: "its condition does not hold for this run"}
		case e.Verdict == result.Failed:
			suite.Failures++
			c.Failure = why
		case e.Verdict == result.Undecided:
			suite.Errors++
			why.Message = "undecided: " + text
			c.Error = why
		default:
			c.Out = text
			if e.Reason != "" {
				c.Out += " (" + e.Reason + ")"
			}
		}
		suite.Cases = append(suite.Cases, c)
	}
	data, err := xml.MarshalIndent(junitSuites{
		Name: "simrun", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors,
		Skipped: suite.Skipped, Suites: []junitSuite{suite},
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(data, '\n')...), nil
}
