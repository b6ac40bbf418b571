package hybrid

import (
	"fmt"
	"testing"
)

// A measurement is what a join took on 16 threads and an H200: bench/README.md.
// Points are millions, seconds those of the CPU, the GPU and, if it was measured,
// both where they were made to share.
type measurement struct {
	data              string
	points, dim       int
	s                 float64 // mean neighbours; 0: k
	k                 int
	rings             bool
	cpu, gpu, sharing float64
}

var measurements = []measurement{
	{"Expo2D2M 4.05e-4", 2, 2, 407, 0, false, .077, .0684, .0726},
	{"Expo2D2M 2.02e-3", 2, 2, 9592, 0, false, .652, 1.475, .531},
	{"Expo4D2M 2.0e-3", 2, 4, 23, 0, false, .122, .0157, .0422},
	{"Expo4D2M 4.5e-3", 2, 4, 507, 0, false, .465, .0987, .148},
	{"Expo4D2M .01", 2, 4, 9367, 0, false, 7.4, 1.66, 1.76},
	{"Expo6D2M 5.3e-3", 2, 6, 10, 0, false, .467, .0495, .0549},
	{"Expo6D2M .0151", 2, 6, 2790, 0, false, 28, .957, 0},
	{"Expo8D2M .0102", 2, 8, 10, 0, false, 5.7, .273, 0},
	{"Expo8D2M .015", 2, 8, 159, 0, false, 37, 1.21, 0},
	{"Expo2D10M 8.5e-5", 10, 2, 90, 0, false, .213, .0909, .118},
	{"Expo2D10M 4.05e-4", 10, 2, 2033, 0, false, .83, 1.574, .688},
	{"Sky2D10M .03°", 10, 3, .8, 0, false, .241, .0466, .106},
	{"Sky2D10M .1°", 10, 3, 9, 0, false, .28, .0421, .0798},
	{"Expo4D10M 8.2e-4", 10, 4, 3, 0, false, 1.46, .0615, .118},
	{"Expo4D10M 4.0e-3", 10, 4, 1651, 0, false, 6.4, 1.498, 1.69},
	{"Expo6D10M 4.0e-3", 10, 6, 10, 0, false, 2.4, .256, .304},
	{"Expo6D10M 8.1e-3", 10, 6, 525, 0, false, 43, 1.673, 0},
	{"Expo8D10M 8.1e-3", 10, 8, 10, 0, false, 61, 2.3, 0},

	{"Unif2D10M", 10, 2, 0, 8, true, .234, .0593, .173},
	{"Unif2D10M", 10, 2, 0, 32, true, .32, .097, .228},
	{"Unif2D10M", 10, 2, 0, 128, true, 2.08, .307, .406},
	{"Expo2D10M", 10, 2, 0, 8, false, .928, .0616, .111},
	{"Expo2D10M", 10, 2, 0, 32, false, 1.067, .0964, .262},
	{"Expo2D10M", 10, 2, 0, 128, false, 2.41, .308, 0},
	{"Unif4D10M", 10, 4, 0, 8, false, 2.02, .111, .191},
	{"Unif4D10M", 10, 4, 0, 32, false, 2.51, .150, .213},
	{"Unif4D10M", 10, 4, 0, 128, false, 5.2, .348, 0},
	{"Expo4D10M", 10, 4, 0, 8, false, 1.955, .103, .185},
	{"Expo4D10M", 10, 4, 0, 32, false, 2.5, .144, .208},
	{"Expo4D10M", 10, 4, 0, 128, false, 7, .344, 0},
	{"Unif6D10M", 10, 6, 0, 8, false, 12.7, .228, 0},
	{"Unif6D10M", 10, 6, 0, 32, false, 18.6, .333, 0},
	{"Unif6D10M", 10, 6, 0, 128, false, 38, .762, 0},
	{"Expo6D10M", 10, 6, 0, 8, false, 14.6, .222, 0},
	{"Expo6D10M", 10, 6, 0, 32, false, 23.9, .337, 0},
	{"Expo6D10M", 10, 6, 0, 128, false, 58, .752, 0},
}

func (m measurement) task() task {
	n := 1e6 * float64(m.points)
	return task{queries: n, points: n, data: n, dim: m.dim, threads: 16, gpus: 1, found: m.s * n, k: m.k, rings: m.rings}
}

// fitting is by what factor a guess may be off.
const fitting = 2

func TestGuessesFit(t *testing.T) {
	for _, m := range measurements {
		cpu, gpu := m.task().forecasts()
		name := m.data
		if m.k > 0 {
			name = fmt.Sprintf("%s K=%d", m.data, m.k)
		}
		t.Logf("%s: CPU %.3g, %.3g (%.2f), GPU %.3g, %.3g (%.2f)", name, cpu.begin, cpu.all, cpu.all/m.cpu, gpu.begin, gpu.all, gpu.all/m.gpu)
		for side, off := range map[string]float64{"CPU": cpu.all / m.cpu, "GPU": gpu.all / m.gpu} {
			if off > fitting || off < 1/fitting {
				t.Errorf("%s: the %s is expected to take %.2f times what was measured", name, side, off)
			}
		}
		took, best := m.gpu, min(m.cpu, m.gpu)
		switch onCPU, onGPU := taking(cpu, gpu); {
		case onCPU && onGPU && m.sharing > 0:
			took = m.sharing
		case !onGPU:
			took = m.cpu
		}
		if best/took < 0.97 {
			t.Errorf("%s: what is chosen took %.3g s, the better side %.3g", name, took, best)
		}
	}
}
