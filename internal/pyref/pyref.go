// Package pyref gets reference answers from Python libraries. It is for tests
// only.
package pyref

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"
)

// Need returns an interpreter that has the modules, or skips the test.
func Need(t testing.TB, modules string) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(name, "-c", "import "+modules).Run() == nil {
			return name
		}
	}
	t.Skipf("no python3 with %s here: agreement with it is not tested", modules)
	return ""
}

// Ask gives questions as JSON to a script and returns its answers, which must be
// as many. The test is skipped without the modules.
func Ask[Answer, Question any](t testing.TB, modules, script string, questions []Question) []Answer {
	t.Helper()
	python := Need(t, modules)
	in, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", script)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var answers []Answer
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(answers), len(questions))
	}
	return answers
}
