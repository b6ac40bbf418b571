package job

import (
	"testing"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/costmodel"
)

// auto looks for a GPU only where the command can use one and the rows are
// worth it.
func TestWhichRowsAreWorthAGPU(t *testing.T) {
	slow := &costmodel.Calibration{Dim: 1, Epsilon: 1, CPU: costmodel.Rate{Seconds: 2}, GPU: &costmodel.Rate{Seconds: 1}}
	for _, c := range []struct {
		device     string
		registered bool
		threads    int64
		rows       int
		measured   *costmodel.Calibration
		eps        float64
		want       bool
	}{
		{"cpu", true, 1, 1e9, nil, 1, false},
		{"cpu", true, 1, 1e9, slow, 1, false},
		{"gpu", true, 1, 1, nil, 1, true},
		{"auto", true, 1, 49_999, nil, 1, false},
		{"auto", true, 1, 50_000, nil, 1, true},
		{"auto", true, 8, 399_999, nil, 1, false},
		{"auto", true, 8, 400_000, nil, 1, true},
		{"auto", false, 1, 1e9, nil, 1, false},
		{"auto", false, 1, 1e9, slow, 1, false},
		{"auto", true, 8, 10, slow, 1, true},
		{"auto", true, 8, 1e9, slow, 0.2, false},
		{"auto", true, 8, 1e9, slow, 0, true},
	} {
		f := flags.Run{Device: flags.Choice{Value: c.device}, Threads: flags.Integer{Value: c.threads}, GPU: flags.GPU{Registered: c.registered, Rows: 50_000}}
		if got := worthwhile(&f, c.rows, c.eps, c.measured); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestGPUOnlyWhenAsked(t *testing.T) {
	f := flags.Run{Device: flags.Choice{Value: "auto"}, GPU: flags.GPU{Registered: true, Rows: flags.OnlyAsked}}
	if worthwhile(&f, 1e9, 1, nil) {
		t.Error("auto takes a GPU that was not seen to pay")
	}
	if f.Device.Value = "gpu"; !worthwhile(&f, 1, 1, nil) {
		t.Error("a GPU that is asked for is not taken")
	}
}
