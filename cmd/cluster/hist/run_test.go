package hist

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/job"
)

func TestRunTakesOptions(t *testing.T) {
	var out bytes.Buffer
	o := newOptions()
	o.Run.JSON = true
	o.Geometry.Columns = []string{"x", "y"}
	if err := o.Bins.Set("0,2,9"); err != nil {
		t.Fatal(err)
	}
	in := cmdtest.CSVOf(t, "x,y", "0,0", "0,1", "5,5")
	o.with = []string{in}
	if err := Run(t.Context(), &job.App{Stdout: &out, Stderr: io.Discard}, o, []string{in}); err != nil {
		t.Fatal(err)
	}
	if want := `"bins":[{"lo":0,"hi":2,"count":5},{"lo":2,"hi":9,"count":4}]`; !strings.Contains(out.String(), want) {
		t.Errorf("%s does not say %s", &out, want)
	}
}
