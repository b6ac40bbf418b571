//go:build cuda && linux

package main

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/cuda"
	"skyjoin/internal/cuda/emulate"
)

// emulator is the environment in which the command finds emulated GPUs.
func emulator(t *testing.T, more ...string) []string {
	t.Helper()
	library, err := emulate.Library()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{cuda.LibraryVariable + "=" + library}, more...)
}

// noDriver is the environment of a machine without a driver.
func noDriver(t *testing.T) []string {
	return []string{cuda.LibraryVariable + "=" + filepath.Join(t.TempDir(), "libcuda.so.1")}
}

// The driver is looked for at run time only: the program starts without it.
func TestGPUDriverIsNotNeeded(t *testing.T) {
	f, err := elf.Open(cmdtest.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		if strings.Contains(l, "cuda") || strings.Contains(l, "nv") {
			t.Errorf("the program needs %s (of %v)", l, libraries)
		}
	}
	in := cmdtest.CSVOf(t, "x,y", "1,2", "1,2.1", "5,5")
	for name, env := range map[string][]string{"no driver": noDriver(t), "no card": emulator(t, "EMULATOR_DEVICES=0")} {
		r := cmdtest.RunBinary(t, env, "dbscan", in, "-c", "x,y", "--eps", "1", "--min-points", "2", "-o", "-", "-q")
		if want := "x,y,cluster,core\n1,2,0,true\n1,2.1,0,true\n5,5,-1,false\n"; r.Status != 0 || r.Stdout != want {
			t.Errorf("%s: status %d, %q, %s", name, r.Status, r.Stdout, r.Stderr)
		}
	}
}

func TestGPUDevices(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want []string // in the table
		why  string   // in the JSON, "" for null
		gpus int
	}{
		{noDriver(t), []string{"gpu  none: no NVIDIA driver"}, "no NVIDIA driver", 0},
		{emulator(t, "EMULATOR_DEVICES=0"), []string{"none: no NVIDIA GPU"}, "no NVIDIA GPU", 0},
		{emulator(t, "EMULATOR_DRIVER=10010"), []string{"CUDA 10.1", "too old", "at least 11.0"}, "too old", 0},
		{emulator(t, "EMULATOR_DEVICES=2", "EMULATOR_MEMORY=3221225472"), []string{"CUDA 12.4", "gpu 0", "gpu 1", "Emulated GPU, 3.0 GiB (3.0 GiB free)", "capability 9.0"}, "", 2},
	} {
		r := cmdtest.RunBinary(t, c.env, "devices")
		if r.Status != 0 || !cmdtest.Contains(r.Stdout, c.want...) {
			t.Errorf("%v: status %d, %q does not say %q", c.env, r.Status, r.Stdout, c.want)
		}
		var s struct {
			Why  *string
			GPUs []struct{ Usable bool }
		}
		r = cmdtest.RunBinary(t, c.env, "devices", "--json")
		if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
			t.Fatal(err)
		}
		if (s.Why == nil) != (c.why == "") || s.Why != nil && !strings.Contains(*s.Why, c.why) || len(s.GPUs) != c.gpus {
			t.Errorf("%v: %s", c.env, r.Stdout)
		}
	}
}

// cloud writes n rows of clumps and returns the file.
func cloud(t *testing.T, n string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "cloud.parquet")
	cmdtest.Succeed(t, "gen", "clumps", "-n", n, "-q", "-o", out)
	return out
}

// The labels are the same bytes wherever they were found, and the summary
// tells where.
func TestGPULabels(t *testing.T) {
	small, large := cloud(t, "3000"), cloud(t, "60000")
	for _, c := range []struct {
		in     string
		flags  string
		env    []string
		device string
		note   string
	}{
		{small, "--device gpu", nil, "gpu", ""},
		{small, "--device gpu --gpus 1", []string{"EMULATOR_DEVICES=2"}, "gpu", ""},
		{small, "--device auto", nil, "cpu", ""},
		{large, "--device auto -t 1", []string{"EMULATOR_FAIL=launch:3"}, "cpu", "the GPU failed: "},
		{large, "--device auto -t 1", []string{"EMULATOR_FAIL=alloc:5"}, "gpu", ""},   // at the second try
		{large, "--device auto -t 1", []string{"EMULATOR_MEMORY=2000000"}, "gpu", ""}, // in slabs
		{large, "--device auto -t 1", []string{"EMULATOR_MEMORY=20000"}, "cpu", "out of GPU memory: "},
		{large, "--device auto -t 1", []string{"EMULATOR_DRIVER=10000"}, "cpu", "the NVIDIA driver is too old"},
		{large, "--device auto -t 1", []string{"EMULATOR_DEVICES=0"}, "cpu", ""},
	} {
		labels := func(env []string, flags string) (string, cmdtest.Result) {
			out := filepath.Join(t.TempDir(), "out.csv")
			args := append([]string{"dbscan", c.in, "-c", "x,y", "--eps", "0.02", "--min-points", "5", "-o", out, "--json"}, strings.Fields(flags)...)
			r := cmdtest.RunBinary(t, env, args...)
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatalf("%s %v: %v, %s", flags, env, err, r.Stderr)
			}
			return string(text), r
		}
		want, _ := labels(noDriver(t), "--device cpu")
		got, r := labels(emulator(t, c.env...), c.flags)
		var s struct {
			Device string
			Note   string `json:"device_note"`
		}
		if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s %v: other labels than on the CPU", c.flags, c.env)
		}
		if s.Device != c.device || !strings.HasPrefix(s.Note, c.note) || c.note == "" && s.Note != "" {
			t.Errorf("%s %v: device %q, note %q", c.flags, c.env, s.Device, s.Note)
		}
	}
}

// Without auto, what keeps a GPU from being used is an error that names it.
func TestGPUErrors(t *testing.T) {
	in := cloud(t, "500")
	nine := cmdtest.CSVOf(t, "a,b,c,d,e,f,g,h,i", "1,2,3,4,5,6,7,8,9")
	for _, c := range []struct {
		status int
		env    []string
		args   string
		want   string
	}{
		{1, noDriver(t), in + " -c x,y --device gpu", "--device gpu: no NVIDIA driver: "},
		{1, emulator(t, "EMULATOR_DEVICES=0"), in + " -c x,y --device gpu", "--device gpu: no NVIDIA GPU: "},
		{1, emulator(t, "EMULATOR_DRIVER=9020"), in + " -c x,y --device gpu", "it is for CUDA 9.2, at least 11.0 is needed"},
		{1, emulator(t, "EMULATOR_FAIL=launch:1"), in + " -c x,y --device gpu", "--device gpu: the GPU failed: "},
		{1, emulator(t, "EMULATOR_MEMORY=20000"), in + " -c x,y --device gpu", "an index of 500 points in 2 dimensions can take 54.7 KiB, of 19.5 KiB on Emulated GPU"},
		{2, emulator(t), in + " -c x,y --device gpu --gpus 1", "--gpus 1: the machine has 1 GPU, numbered from 0"},
		{2, emulator(t), in + " -c x,y --device gpu --gpus x", "--gpus x: "},
		{2, emulator(t, "EMULATOR_DEVICES=2"), in + " -c x,y --device gpu --gpus 0,2", "--gpus 0,2: the machine has 2 GPUs"},
		{2, emulator(t), in + " -c x,y --device gpu --gpu-threads 3", "--gpu-threads is for the published GPU kernels of join and knn; dbscan has none"},
		{2, emulator(t), nine + " -c a,b,c,d,e,f,g,h,i --device gpu", "--device gpu: 9 dimensions, "},
		{1, noDriver(t), in + " -c x,y --device hybrid", "--device hybrid: no NVIDIA driver: "},
		{2, emulator(t), in + " -c x,y --device hybrid --partition even", "--partition even: it is one of adaptive, dyn, sq, sc"},
		{2, emulator(t), in + " -c x,y --device hybrid --partition sq", "--partition sq: the shares come from a calibration"},
		{2, emulator(t), in + " -c x,y --device hybrid --trace t.txt", "--trace t.txt: it is written as .json, .csv, .png, .svg or .pdf"},
	} {
		r := cmdtest.RunBinary(t, c.env, append([]string{"dbscan", "--eps", "0.02", "--min-points", "5", "-q"}, strings.Fields(c.args)...)...)
		if r.Status != c.status || !strings.HasPrefix(r.Stderr, "cluster: ") || !strings.Contains(r.Stderr, c.want) || strings.Count(r.Stderr, "\n") > 2 {
			t.Errorf("%s %v: status %d, want %d; %q does not say %q", c.args, c.env, r.Status, c.status, r.Stderr, c.want)
		}
	}
}

// So are the pairs.
func TestGPUPairs(t *testing.T) {
	a, b := cloud(t, "2000"), cloud(t, "1000")
	for _, files := range [][]string{{a}, {a, b}, {b, a}} {
		var tables []string
		for _, flags := range []string{"--device cpu", "--device gpu", "--device gpu --gpu-pattern full --gpu-threads 8 --gpu-order sortbywl", "--device gpu --gpu-pattern unicomp"} {
			if strings.HasSuffix(flags, "unicomp") && len(files) == 2 {
				continue // which is refused
			}
			out := filepath.Join(t.TempDir(), "out.csv")
			args := append(append([]string{"join"}, files...), "-c", "x,y", "--eps", "0.1", "-o", out, "-q")
			args = append(args, strings.Fields(flags)...)
			if r := cmdtest.RunBinary(t, emulator(t), args...); r.Status != 0 {
				t.Fatalf("%v: status %d, %s", args, r.Status, r.Stderr)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			tables = append(tables, string(text))
		}
		for i, text := range tables {
			if text != tables[0] || len(text) < 1000 {
				t.Errorf("%d catalogs: %d bytes from the CPU, %d from kernels %d of the GPU", len(files), len(tables[0]), len(text), i)
			}
		}
	}
}

// So are the nearest rows.
func TestGPUNearest(t *testing.T) {
	a, b := cloud(t, "600"), cloud(t, "400")
	for _, args := range [][]string{{"knn", a}, {"knn", a, b}, {"kdist", a}} {
		var tables []string
		for _, device := range []string{"auto", "gpu", "gpu --gpu-pattern full --gpu-threads 8 --gpu-order workqueue", "gpu --gpu-pattern brute"} {
			if device != "auto" && device != "gpu" && args[0] != "knn" {
				continue
			}
			out := filepath.Join(t.TempDir(), "out.csv")
			all := append(append(args, "-c", "x,y", "-k", "4", "-o", out, "--json", "--device"), strings.Fields(device)...)
			r := cmdtest.RunBinary(t, emulator(t), all...)
			if want := map[string]string{"auto": "cpu", "gpu": "gpu"}[strings.Fields(device)[0]]; r.Status != 0 || !strings.Contains(r.Stdout, `"device":"`+want+`"`) {
				t.Fatalf("%v: status %d, %s %s", all, r.Status, r.Stdout, r.Stderr)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			tables = append(tables, string(text))
		}
		for i, text := range tables {
			if text != tables[0] || len(text) < 1000 {
				t.Errorf("%v: %d bytes from the CPU, %d from kernels %d of the GPU", args, len(tables[0]), len(text), i)
			}
		}
	}
}

// A calibration on the GPU is used by later runs, with the same answer.
func TestGPUCalibrates(t *testing.T) {
	in := cloud(t, "3000")
	env := emulator(t, "XDG_CACHE_HOME="+t.TempDir())
	r := cmdtest.RunBinary(t, env, "calibrate", in, "-c", "x,y", "--eps", "0.5", "--json")
	var s struct {
		Device string
		Result struct {
			GPU   float64 `json:"gpu_seconds"`
			Share float64 `json:"gpu_share"`
		}
	}
	if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
		t.Fatalf("%v: %s", err, r.Stderr)
	}
	if s.Device != "gpu" || !(s.Result.GPU > 0) || !(s.Result.Share > 0 && s.Result.Share < 1) {
		t.Errorf("%s", r.Stdout)
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	args := []string{"join", in, "-c", "x,y", "--eps", "0.6", "-o", out, "--json"}
	// The emulator is slower than the CPU, and auto knows it now.
	if r := cmdtest.RunBinary(t, env, args...); r.Status != 0 || !strings.Contains(r.Stdout, `"device":"cpu"`) {
		t.Errorf("status %d, %s %s", r.Status, r.Stdout, r.Stderr)
	}
	if r := cmdtest.RunBinary(t, env, append(args, "--force", "--device", "gpu")...); r.Status != 0 || !strings.Contains(r.Stdout, `"device":"gpu"`) {
		t.Errorf("status %d, %s %s", r.Status, r.Stdout, r.Stderr)
	}
}

// A GPU gives the bytes that the CPU gives; without the compiler for its
// kernels the CPU does.
func TestGPUStat(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "90", "--dim", "3", "-q", "-o", in)
	headers, err := emulate.Headers()
	if err != nil {
		t.Fatal(err)
	}
	library := emulator(t)[0]
	compiler := strings.Replace(library, cuda.LibraryVariable, cuda.CompilerVariable, 1)
	stat := []string{"stat", in, "-c", "x,y,z", "--expr", "r", "--reduce", "hist", "--bins", "0,20,40,60", "--json", "-d"}
	result := func(env []string, args ...string) (device, note, bins string) {
		t.Helper()
		r := cmdtest.RunBinary(t, env, args...)
		var s struct {
			Device string
			Note   string `json:"device_note"`
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil || r.Status != 0 {
			t.Fatalf("status %d: %v, %s", r.Status, err, r.Stderr)
		}
		return s.Device, s.Note, string(s.Result)
	}
	_, _, want := result(nil, append(stat, "cpu")...)
	for _, gpus := range []string{"0", "1", "2,0,1"} {
		device, _, got := result([]string{library, compiler, "EMULATOR_DEVICES=3", "EMULATOR_HEADERS=" + headers}, append(stat, "gpu", "--gpus", gpus)...)
		if device != "gpu" || got != want {
			t.Errorf("GPUs %s: %s: %s, want %s", gpus, device, got, want)
		}
	}
	for _, c := range []struct{ flags, kernel string }{
		{"--bins lin:0:180:9", ""}, {"--bins log:1:30:5", ""}, {"--bins lin:0:40:8 --box 100,100,100", ""},
		{"--bins lin:10:90:4", "--gpu-tiling reg-roc --gpu-output block"},
	} {
		hist := append([]string{"hist", in, "-c", "x,y,z", "--json"}, strings.Fields(c.flags)...)
		_, _, want := result(nil, append(hist, "-d", "cpu")...)
		for _, gpus := range []string{"0", "0,1"} {
			device, _, got := result([]string{library, "EMULATOR_DEVICES=2"}, append(hist, strings.Fields("-d gpu --gpus "+gpus+" "+c.kernel)...)...)
			if device != "gpu" || got != want {
				t.Errorf("hist %v on %s %s: %s, want %s", c, device, gpus, got, want)
			}
		}
	}
	for _, c := range []struct{ flags, why string }{
		{"--device hybrid", "by the CPU or by GPUs, not by both"},
		{"--device gpu --weights x", "--device gpu: pairs with weights"},
		{"--device gpu --gpus 0,1", "the machine has 1 GPU"},
	} {
		r := cmdtest.RunBinary(t, []string{library}, append([]string{"hist", in, "-c", "x,y,z", "--bins", "1,2"}, strings.Fields(c.flags)...)...)
		if r.Status != exit.Request || !strings.Contains(r.Stderr, c.why) {
			t.Errorf("hist %s: status %d, %s", c.flags, r.Status, r.Stderr)
		}
	}
	if device, _, _ := result([]string{library}, "hist", in, "-c", "x,y,z", "--bins", "1,2", "--weights", "x", "--json"); device != "cpu" {
		t.Errorf("weights on %s", device)
	}
	none := []string{library, cuda.CompilerVariable + "=" + filepath.Join(dir, "libnvrtc.so")}
	if r := cmdtest.RunBinary(t, none, append(stat, "gpu")...); r.Status != exit.Request || !strings.Contains(r.Stderr, "libnvrtc") {
		t.Errorf("without the compiler: status %d, %s", r.Status, r.Stderr)
	}
	many := filepath.Join(dir, "many.csv")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "10000", "--dim", "3", "-q", "-o", many)
	device, note, _ := result(none, "stat", many, "--expr", "abs(a.x-b.x) < 1e-9", "--reduce", "count", "--json", "-d", "auto", "-t", "1")
	if device != "cpu" || !strings.Contains(note, "libnvrtc") {
		t.Errorf("without the compiler: %s, %q", device, note)
	}
}

// Points that do not fit a GPU are searched slab by slab, on one or shared.
func TestGPUSplits(t *testing.T) {
	in := cloud(t, "12000")
	for _, command := range []string{"join --eps 0.004", "knn -k 3", "kdist -k 3"} {
		var tables []string
		for _, flags := range []string{"--device cpu", "--device gpu --gpus 0,1", "--device gpu"} {
			out := filepath.Join(t.TempDir(), "out.csv")
			words := strings.Fields(command + " -c x,y --json " + flags)
			r := cmdtest.RunBinary(t, emulator(t, "EMULATOR_DEVICES=2", "EMULATOR_MEMORY=1310720"), append(words, in, "-o", out)...)
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatalf("%s %s: %v, %s", command, flags, err, r.Stderr)
			}
			if strings.Contains(r.Stdout, "lost") {
				t.Errorf("%s %s: a GPU has failed: %s", command, flags, r.Stdout)
			}
			tables = append(tables, string(text))
		}
		for i, text := range tables {
			if text != tables[0] || len(text) < 1000 {
				t.Errorf("%s: %d bytes from the CPU, %d from run %d", command, len(tables[0]), len(text), i)
			}
		}
	}
	// A radius may be too large for any slab.
	if r := cmdtest.RunBinary(t, emulator(t, "EMULATOR_MEMORY=524288"), "join", in, "-c", "x,y", "--eps", "100", "--device", "gpu"); r.Status != 1 || !strings.Contains(r.Stderr, "out of GPU memory") {
		t.Errorf("status %d, %s", r.Status, r.Stderr)
	}
}

// Joins that GPUs and CPU share write the same bytes, and say who did what.
func TestGPUShares(t *testing.T) {
	a, b := cloud(t, "2000"), cloud(t, "700")
	for _, args := range [][]string{
		{"join", a, "--eps", "0.1"}, {"join", a, b, "--eps", "0.1"}, {"knn", a, "-k", "3"}, {"dbscan", a, "--eps", "0.1", "--min-points", "4"},
	} {
		var tables []string
		env := emulator(t, "EMULATOR_DEVICES=2", "XDG_CACHE_HOME="+t.TempDir())
		if args[0] == "join" && len(args) == 4 {
			if r := cmdtest.RunBinary(t, env, "calibrate", a, "-c", "x,y", "--eps", "0.1", "-q"); r.Status != 0 {
				t.Fatal(r.Stderr)
			}
		}
		for _, flags := range []string{"--device cpu", "--device hybrid", "--device hybrid --partition dyn --gpus 0,1", "--device gpu --gpus 1,0", "--device hybrid --partition sc"} {
			if strings.HasSuffix(flags, "sc") && !(args[0] == "join" && len(args) == 4) {
				continue
			}
			dir := t.TempDir()
			out := filepath.Join(dir, "out.csv")
			all := append(append([]string{}, args...), "-c", "x,y", "-o", out, "--json")
			all = append(all, strings.Fields(flags)...)
			shared := !strings.HasSuffix(flags, "cpu")
			if shared {
				all = append(all, "--trace", filepath.Join(dir, "t.csv"), "--trace", filepath.Join(dir, "t.json"), "--trace", filepath.Join(dir, "t.svg"))
			}
			r := cmdtest.RunBinary(t, env, all...)
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatalf("%v: %v, %s", all, err, r.Stderr)
			}
			tables = append(tables, string(text))
			var s struct {
				Device string
				Hybrid *struct {
					Seconds float64
					Sides   []struct {
						Device string
						Rows   int64
					}
				}
			}
			if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
				t.Fatal(err)
			}
			if !shared {
				continue
			}
			want := map[bool]string{true: "gpu", false: "hybrid"}[strings.HasPrefix(flags, "--device gpu")]
			if s.Device != want || s.Hybrid == nil || !(s.Hybrid.Seconds > 0 || args[0] == "dbscan") {
				t.Fatalf("%v: %s", all, r.Stdout)
			}
			var rows int64
			for _, side := range s.Hybrid.Sides {
				rows += side.Rows
			}
			if args[0] == "knn" && rows != 2000 {
				t.Errorf("%v: the sides did %d rows, want 2000", all, rows)
			}
			if args[0] == "dbscan" { // it runs on a GPU as a whole
				first := map[bool]string{true: "gpu 1", false: "gpu 0"}[strings.HasSuffix(flags, "1,0")]
				var plain []string
				for i := 0; i < len(all); i++ {
					switch all[i] {
					case "--json":
					case "-o", "--trace":
						i++
					default:
						plain = append(plain, all[i])
					}
				}
				if r := cmdtest.RunBinary(t, env, plain...); !strings.Contains(r.Stdout+r.Stderr, "nothing, "+first+" clusters alone") {
					t.Errorf("%v: it does not say that %s clusters alone: %s", plain, first, r.Stdout)
				}
				continue
			}
			trace, err := os.ReadFile(filepath.Join(dir, "t.csv"))
			if err != nil || !strings.HasPrefix(string(trace), "device,worker,start,end,rows,neighbors\n") || strings.Count(string(trace), "\n") < 2 {
				t.Errorf("%v: %v, trace %q", all, err, trace)
			}
			var events []struct{ Rows int }
			text, err = os.ReadFile(filepath.Join(dir, "t.json"))
			if err != nil || json.Unmarshal(text, &events) != nil || len(events) != strings.Count(string(trace), "\n")-1 {
				t.Errorf("%v: %v, trace %q", all, err, text)
			}
			if st, err := os.Stat(filepath.Join(dir, "t.svg")); err != nil || st.Size() < 1000 {
				t.Errorf("%v: %v", all, err)
			}
		}
		for i, text := range tables {
			if text != tables[0] || len(text) < 1000 {
				t.Errorf("%v: %d bytes from the CPU, %d from run %d", args, len(tables[0]), len(text), i)
			}
		}
	}
}

// HEGJOIN as published: LBJOIN on the card and NEW-SUPER-EGO on the CPU share a join,
// however it is divided, and write the bytes of the CPU alone.
func TestGPUSharesAsPublished(t *testing.T) {
	in := filepath.Join(t.TempDir(), "expo.csv")
	cmdtest.Succeed(t, "gen", "expo", "-n", "3000", "--seed", "3", "-o", in, "-q")
	env := emulator(t, "XDG_CACHE_HOME="+t.TempDir())
	var tables []string
	for _, flags := range []string{"--device cpu", "--device hybrid --partition dyn", "--device hybrid --partition sq", "--device hybrid --partition sc"} {
		if strings.HasSuffix(flags, "sq") {
			if r := cmdtest.RunBinary(t, env, "calibrate", in, "-c", "x,y", "--eps", "0.001", "-q"); r.Status != 0 {
				t.Fatal(r.Stderr)
			}
		}
		out := filepath.Join(t.TempDir(), "out.csv")
		args := []string{"join", in, "-c", "x,y", "--eps", "0.002", "-o", out, "--json"}
		args = append(args, strings.Fields(flags)...)
		shared := !strings.HasSuffix(flags, "cpu")
		if shared {
			args = append(args, "--gpu-pattern", "full", "--gpu-order", "workqueue", "--algorithm", "newsuperego")
		}
		r := cmdtest.RunBinary(t, env, args...)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatalf("%v: %v, %s", args, err, r.Stderr)
		}
		if tables = append(tables, string(text)); !shared {
			continue
		}
		var s struct {
			Device, Algorithm string
			Pattern           struct {
				Name    string
				Threads int
				Order   string
			}
			Hybrid struct {
				Expected *struct {
					CPU  float64 `json:"cpu_seconds"`
					GPU  float64 `json:"gpu_seconds"`
					Both float64 `json:"both_seconds"`
				}
				Sides []struct {
					Device  string
					Rows    int64
					Batches int
				}
			}
		}
		if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
			t.Fatal(err)
		}
		if s.Device != "hybrid" || !strings.HasPrefix(s.Algorithm, "newsuperego") {
			t.Errorf("%s: %s", flags, r.Stdout)
		}
		if strings.HasSuffix(flags, "dyn") { // the CPU may be through before the GPU begins
			continue
		}
		e, gpu := s.Hybrid.Expected, s.Hybrid.Sides[0]
		if s.Pattern.Name != "full" || s.Pattern.Threads != 1 || s.Pattern.Order != "workqueue" || gpu.Rows == 0 || int64(gpu.Batches) < min(3, gpu.Rows) { // a slow emulator gets a few rows
			t.Errorf("%s: the GPU has not run LBJOIN in at least as many batches as streams: %s", flags, r.Stdout)
		}
		if e == nil || !(e.CPU > 0 && e.GPU > 0) || math.Abs(e.Both/(e.CPU*e.GPU/(e.CPU+e.GPU))-1) > 1e-9 {
			t.Errorf("%s: the model expects %+v", flags, e)
		}
	}
	for i, text := range tables {
		if text != tables[0] || len(text) < 1000 {
			t.Errorf("%d bytes from the CPU, %d from run %d", len(tables[0]), len(text), i)
		}
	}
}

// Classes, and groups by errors, are the same bytes wherever the join runs.
func TestGPUClassify(t *testing.T) {
	train := []string{"x,y,z,class,e"}
	query := []string{"x,y,z,e"}
	for i := range 400 {
		x, y, z := float64(i*37%101)/10, float64(i*53%89)/10, float64(i*71%97)/10
		train = append(train, fmt.Sprintf("%g,%g,%g,%s,%g", x, y, z, string("abc"[i%3]), float64(i%7)/10))
		query = append(query, fmt.Sprintf("%g,%g,%g,%g", y+0.05, z, x-0.03, float64(i%5)/10))
	}
	a, b := cmdtest.CSVOf(t, train...), cmdtest.CSVOf(t, query...)
	for _, flags := range []string{
		"classify --train " + a + " --label class --features x,y,z -k 7 --vote distance --probabilities " + b,
		"classify --train " + a + " --label class --features x,y,z --radius 1.5 " + b,
		"classify --train " + a + " --regress e --features x,y,z -k 3 " + b,
		"match " + a + " -c x,y,z --error-a e --min-radius 0.1",
		"match " + a + " " + b + " -c x,y,z --radius 0.8 --find all",
	} {
		var want string
		for _, device := range []string{"cpu", "gpu"} {
			args := append(strings.Fields(flags), "-o", "-", "-q", "-d", device)
			r := cmdtest.RunBinary(t, emulator(t), args...)
			if r.Status != 0 {
				t.Fatalf("%s on the %s: status %d: %s", flags, device, r.Status, r.Stderr)
			}
			if device == "cpu" {
				want = r.Stdout
			} else if r.Stdout != want {
				t.Errorf("%s: other bytes on the GPU", flags)
			}
		}
	}
}

// The tree is found on the card, and everything that comes of it is the same bytes: in
// the plane, in a box, on the sky. What the card has no tree for is found here.
func TestGPUTree(t *testing.T) {
	env := emulator(t)
	for _, c := range []struct {
		in, args string
		found    bool // on the card
	}{
		{cloud(t, "300"), "-c x,y --min-cluster-size 6,15 --min-samples 5 --cut 1", true},
		{cloud(t, "250"), "-c x,y --box 100 --min-cluster-size 12 --alpha 1.5", true},
		{cmdtest.TestData(t, "shapley_galaxies.csv"), "-c RA,Dec --where Dec>-28.2 --min-cluster-size 10 --min-samples 4", true},
		{cloud(t, "100"), "-c x,y --min-cluster-size 10 --ties sklearn", false},
		{cloud(t, "150"), "-c x,y,true_cluster --min-cluster-size 10", true},
	} {
		files := []string{"out.csv", "clusters.csv", "tree.csv", "linkage.csv", "mst.csv"}
		run := func(device string) (string, map[string]string) {
			dir := t.TempDir()
			args := []string{"hdbscan", c.in, "--json", "-d", device, "-o", filepath.Join(dir, files[0])}
			for _, f := range files[1:] {
				args = append(args, "--"+strings.TrimSuffix(f, ".csv"), filepath.Join(dir, f))
			}
			r := cmdtest.RunBinary(t, env, append(args, strings.Fields(c.args)...)...)
			if r.Status != 0 {
				t.Fatalf("%s: %s", c.args, r.Stderr)
			}
			got := map[string]string{}
			for _, f := range files {
				b, err := os.ReadFile(filepath.Join(dir, f))
				if err != nil {
					t.Fatal(err)
				}
				got[f] = string(b)
			}
			return r.Stdout, got
		}
		_, want := run("cpu")
		said, got := run("gpu")
		for _, f := range files {
			if got[f] != want[f] {
				t.Errorf("%s: %s is not that of the CPU", c.args, f)
			}
		}
		if strings.Contains(said, "span_search") != c.found || !strings.Contains(said, `"device":"gpu","gpus":[0]`) {
			t.Errorf("%s: %s", c.args, said)
		}
	}
}

// What the driver of a GPU takes is measured, counted before a run is refused, and told
// apart; --device auto takes no GPU that there may be no room for.
func TestGPUMemoryIsCounted(t *testing.T) {
	in := cloud(t, "60000")
	env := emulator(t)
	for _, line := range []string{"hist -c x,y --bins lin:0:0.2:5", "dbscan -c x,y --eps 0.1 --min-points 5", "knn -c x,y -k 3 -o " + filepath.Join(t.TempDir(), "o.csv")} {
		args := append(strings.Fields(line), in, "-d", "gpu", "--json", "--memory")
		r := cmdtest.RunBinary(t, env, append(args, "16MiB")...)
		named := regexp.MustCompile(`60,000 rows[a-z0-9 ]* take about ([\d.]+) MiB \([\d.]+ [KM]iB of it for the driver of the GPU\), 16.0 MiB are allowed`).FindStringSubmatch(r.Stderr)
		if r.Status != exit.Request || named == nil {
			t.Errorf("%s: status %d, %s", line, r.Status, r.Stderr)
			continue
		}
		r = cmdtest.RunBinary(t, env, append(args, named[1]+"MiB")...)
		var s struct {
			Peak   int64 `json:"peak_memory_bytes"`
			Driver int64 `json:"driver_memory_bytes"`
		}
		if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
			t.Errorf("%s: %v: status %d, %s", line, err, r.Status, r.Stderr)
			continue
		}
		need, err := strconv.ParseFloat(named[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		if s.Driver <= 0 || s.Driver >= s.Peak || s.Peak > int64(need*(1<<20))+48<<20 {
			t.Errorf("%s: %d bytes at most, %d of the driver, where %s MiB are said to be enough", line, s.Peak, s.Driver, named[1])
		}
	}
	r := cmdtest.RunBinary(t, env, "dbscan", in, "-c", "x,y", "--eps", "0.1", "--min-points", "5", "-t", "1", "--json", "--memory", "64MiB")
	if r.Status != exit.Done || !cmdtest.Contains(r.Stdout, `"device":"cpu"`, "there may be no room for a GPU") || strings.Contains(r.Stdout, "driver_memory_bytes") {
		t.Errorf("status %d, %s %s", r.Status, r.Stdout, r.Stderr)
	}
}
