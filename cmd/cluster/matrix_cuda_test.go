//go:build cuda && linux

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/cuda"
	"skyjoin/internal/cuda/emulate"
)

// onGPU are the trials of commands whose joins can run on GPUs.
var onGPU = []string{
	"dbscan {a} -c x,y --eps 5 --min-points 4",
	"hdbscan {a} -c x,y --min-cluster-size 4 -o {out}",
	"optics {a} -c x,y --min-samples 4 -o {out}",
	"outliers {a} -c x,y -k 4",
	"kdist {a} -c x,y -k 3",
	"scan {a} -c x,y --min-points 4 --eps 1:3:3",
	"join {a} -c x,y --eps 3",
	"join {a} {b} -c x,y --eps 3",
	"join {a} -c x,y --eps 3 --box 50,50",
	"join {a} -c x,y --eps 3 -o {out}",
	"knn {a} -c x,y -k 3 -o {out}",
	"knn {a} {b} -c x,y -k 3 -o {out}",
	"match {a} {b} -c x,y --radius 3",
	"match {a} -c x,y --radius 3",
	"classify {b} --train {a} --label kind --features x,y -k 3",
	"hist {a} -c x,y --bins lin:0:90:4",
	"hist {a} --with {b} -c x,y --bins lin:0:90:4",
	"rdf {a} -c x,y --box 50 --bins lin:0:20:4",
	"corr {a} --random {b} -c x,y --bins lin:0:90:4",
	"stat {a} -c x,y --expr r --reduce sum",
	"stat {a} -c x,y --expr r --reduce hist --bins lin:0:90:4",
	"stat {a} {b} -c x,y --expr r<9 --reduce count",
	"stat {a} -c x,y --expr r<9 --reduce pairs -o {out}",
	"stat {a} -c x,y --expr r --reduce min --per-row -o {out}",
	"tile {planned} --index 0",
	"calibrate {a} -c x,y --eps 3",
}

// A shown is what a summary says of the way to an answer.
type shown struct {
	Device    string
	Note      string `json:"device_note"`
	GPUs      []int
	Algorithm string
	Kernels   []string
	Pattern   *struct {
		Name, Order string
		Threads     int
	}
	Tiling *struct {
		Name, Output string
		Copies       int
	}
	Hybrid *struct {
		Partition string
		Sides     []struct{ Device string }
	}
	Result json.RawMessage
}

// overPairs reports whether one of kernels is over all pairs and has these words
// behind pairs, or behind the hash of an expression.
func overPairs(kernels []string, words string) bool {
	return slices.ContainsFunc(kernels, regexp.MustCompile("^(pairs|pair_[0-9a-f]+)_"+words+"(_|$)").MatchString)
}

// ofCPU are the kernels of the CPU, which does what is left.
var ofCPU = []string{"avx512", "avx2", "generic", "scalar", "expression"}

// On an emulated machine with two GPUs every flag about GPUs, of every command,
// decides which kernels are launched, as their names and what the summary says of
// them show, or where; or it is refused in a line or two. The answer is that of the
// CPU.
func TestGPUFlagMatrix(t *testing.T) {
	library, err := emulate.Library()
	if err != nil {
		t.Fatal(err)
	}
	headers, err := emulate.Headers()
	if err != nil {
		t.Fatal(err)
	}
	// The driver is looked for once a process, by the first command that asks for it.
	for name, value := range map[string]string{cuda.LibraryVariable: library, cuda.CompilerVariable: library, "EMULATOR_HEADERS": headers, "EMULATOR_DEVICES": "2"} {
		t.Setenv(name, value)
	}
	path := os.Getenv("PATH") // of the compiler that stands for that of the GPU
	d := newTrialData(t)
	t.Setenv("PATH", path)
	count := map[string]int{}
	launched := func(t *testing.T, line, flags string) (outcome, shown, []string) {
		before := cuda.Asked()
		r := d.outcome(t, append(d.args(line), strings.Fields(d.names.Replace(flags))...), false)
		after := cuda.Asked()
		maps.DeleteFunc(after, func(kernel string, n int) bool { return n == before[kernel] })
		var s shown
		if r.Status == exit.Done {
			if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
				t.Errorf("%s %s: %v", line, flags, err)
			}
			count[acted]++
		} else if n := strings.Count(r.Stderr, "\n"); r.Status != exit.Request || n < 1 || n > 2 {
			t.Errorf("%s %s: status %d, %s", line, flags, r.Status, r.Stderr)
		} else {
			count[refused]++
		}
		return r, s, slices.Sorted(maps.Keys(after))
	}
	has := func(kernels []string, prefix string) bool {
		return slices.ContainsFunc(kernels, func(k string) bool { return strings.HasPrefix(k, prefix) })
	}
	for _, line := range onGPU {
		t.Run(line, func(t *testing.T) {
			words := strings.Fields(line)
			name, two, box := words[0], strings.Contains(line, "{b}"), strings.Contains(line, "--box")
			_, cpu, none := launched(t, line, "-d cpu")
			base, plain, kernels := launched(t, line, "-d gpu")
			same := func(flags string, s shown) {
				if name != "calibrate" && string(s.Result) != string(cpu.Result) {
					t.Errorf("%s: another answer than on the CPU: %s, %s", flags, s.Result, cpu.Result)
				}
			}
			if len(none) > 0 || !slices.ContainsFunc(plain.Kernels, func(k string) bool { return has(kernels, k) }) || cpu.Device != "cpu" || len(kernels) == 0 || plain.Device != "gpu" || len(plain.Kernels) == 0 || plain.Algorithm == "" {
				t.Fatalf("on the CPU %v, on the GPU %v; %+v %s", none, kernels, plain, base.Stderr)
			}
			for _, k := range plain.Kernels {
				if !has(kernels, k) && !slices.Contains(ofCPU, k) {
					t.Errorf("the summary names the kernel %s, launched were %v", k, kernels)
				}
			}
			same("-d gpu", plain)

			statistic := slices.Contains([]string{"hist", "rdf", "corr", "stat"}, name)
			refuse := func(flags string, parts ...string) {
				t.Helper()
				r, _, kernels := launched(t, line, flags)
				if r.Status == exit.Done || !cmdtest.Contains(r.Stderr, parts...) || len(kernels) > 0 {
					t.Errorf("%s: status %d, %q, want a refusal that says %q", flags, r.Status, r.Stderr, parts)
				}
			}
			for _, pattern := range []string{"full", "unicomp", "lid-unicomp", "brute"} {
				flags, half := "-d gpu --gpu-pattern "+pattern, strings.Contains(pattern, "unicomp")
				switch {
				case name != "join" && name != "knn":
					refuse(flags, "--gpu-pattern is for the published GPU kernels of join and knn; "+name+" has none")
				case half && name == "knn":
					refuse(flags, "--gpu-pattern "+pattern, "it is one of full, brute")
				case half && (two || box):
					refuse(flags, "--gpu-pattern "+pattern, "full and brute")
				default:
					_, s, kernels := launched(t, line, flags)
					if s.Pattern == nil || s.Pattern.Name != pattern || !has(kernels, "pattern_") || has(kernels, "join_") || has(kernels, "nearest_") {
						t.Errorf("%s: launched %v, %+v", flags, kernels, s.Pattern)
					}
					same(flags, s)
				}
			}
			for _, c := range [][2]string{{"--gpu-threads", "4"}, {"--gpu-threads", "32"}, {"--gpu-order", "sortbywl"}, {"--gpu-order", "workqueue"}, {"--gpu-order", "none"}} {
				flags := "-d gpu " + c[0] + " " + c[1]
				if name != "join" && name != "knn" {
					refuse(flags, c[0]+" is for the published GPU kernels of join and knn; "+name+" has none")
					continue
				}
				_, s, kernels := launched(t, line, flags)
				if s.Pattern == nil || c[1] != fmt.Sprint(s.Pattern.Threads) && c[1] != s.Pattern.Order || has(kernels, "pattern_work") != (s.Pattern.Order != "none") {
					t.Errorf("%s: launched %v, %+v", flags, kernels, s.Pattern)
				}
				same(flags, s)
			}
			for _, tiling := range []string{"naive", "shm-shm", "reg-shm", "reg-roc", "shuffle"} {
				flags := "-d gpu --gpu-tiling " + tiling
				switch {
				case !statistic:
					refuse(flags, "--gpu-tiling is for the published GPU kernels of", name+" has none")
				default:
					_, s, kernels := launched(t, line, flags)
					word := map[string]string{"naive": "naive", "shm-shm": "both", "reg-shm": "shm", "reg-roc": "roc", "shuffle": "shuffle"}[tiling]
					if s.Tiling == nil || s.Tiling.Name != tiling || !overPairs(kernels, word) || !overPairs(s.Kernels, word) {
						t.Errorf("%s: launched %v, %+v", flags, kernels, s.Tiling)
					}
					same(flags, s)
				}
			}
			for _, output := range []string{"global", "block", "lanes"} {
				flags := "-d gpu --gpu-output " + output
				if !statistic {
					refuse(flags, "--gpu-output is for the published GPU kernels of", name+" has none")
					continue
				}
				if name == "stat" && (!strings.Contains(line, "hist") && !strings.Contains(line, "count")) {
					refuse(flags, "--gpu-output "+output+": it is where a GPU counts the pairs of count and hist; ")
					continue
				}
				_, s, kernels := launched(t, line, flags)
				if s.Tiling == nil || s.Tiling.Output != output || overPairs(kernels, "shm_global") != (output == "global") || overPairs(kernels, "shm_shared") == (output == "global") {
					t.Errorf("%s: launched %v, %+v", flags, kernels, s.Tiling)
				}
				same(flags, s)
			}
			// The devices.
			if _, s, _ := launched(t, line, "-d gpu --gpus 1"); s.Device != "gpu" || !slices.Equal(s.GPUs, []int{1}) {
				t.Errorf("--gpus 1: %+v", s)
			}
			refuse("-d gpu --gpus 2", "--gpus 2: the machine has 2 GPUs")
			switch {
			case statistic:
				// So few rows are one part, for the first of them.
				if _, s, _ := launched(t, line, "-d gpu --gpus 1,0"); !slices.Equal(s.GPUs, []int{1}) {
					t.Errorf("--gpus 1,0: %+v", s)
				}
				refuse("-d hybrid", "--device hybrid: pairs are counted by the CPU or by GPUs, not by both")
			case name == "calibrate":
				refuse("-d hybrid", "--device hybrid")
				refuse("-d gpu --gpus 0,1", "one GPU is measured at a time")
			default:
				_, s, _ := launched(t, line, "-d hybrid --partition dyn")
				r, several, _ := launched(t, line, "-d gpu --gpus 0,1 --trace {work}/t.csv")
				if s.Device != "hybrid" || s.Hybrid == nil || s.Hybrid.Partition != "dyn" || !strings.Contains(r.seen, "device,worker,start,end") || several.Hybrid == nil || len(several.Hybrid.Sides) != 2 {
					t.Errorf("hybrid: %+v; two GPUs: %+v", s, several)
				}
				same("-d hybrid", s)
				same("--gpus 0,1", several)
			}
		})
	}
	t.Logf("%d runs on emulated GPUs acted, %d were refused", count[acted], count[refused])
}
