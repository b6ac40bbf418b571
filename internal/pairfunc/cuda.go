package pairfunc

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// A Method is how kernels hold the points of a pair and where they count, in the
// names of gpu.Tiling and gpu.Output; "" is what is fastest.
type Method struct{ Tiling, Output string }

// tilings are the names of the tilings, in names of kernels, and in calls of the
// templates of gpu/kernels/pairs.cuh, over all pairs and for each row. The first is
// the default.
var tilings = []struct{ name, word, pairs, rows string }{
	{"reg-shm", "shm", "pairs_tiled<PairFunction, %s<PairFunction>, TILE_SHARED>", "TILE_SHARED"},
	{"shm-shm", "both", "pairs_tiled<PairFunction, %s<PairFunction>, TILE_SHARED_BOTH>", "TILE_SHARED_BOTH"},
	{"reg-roc", "roc", "pairs_tiled<PairFunction, %s<PairFunction>, TILE_READ_ONLY>", "TILE_READ_ONLY"},
	{"naive", "naive", "pairs_naive<PairFunction, %s<PairFunction>>", "TILE_GLOBAL"},
	{"shuffle", "shuffle", "pairs_shuffle<PairFunction, %s<PairFunction>>", "TILE_SHUFFLE"},
}

// tiling is the number of a method's tiling.
func (m Method) tiling() int {
	for k, t := range tilings {
		if t.name == m.Tiling {
			return k
		}
	}
	return 0
}

// gathers are the templates that gather values, over all pairs by the words for them
// in names of kernels, and for each row by reduction.
var gathers = map[string]string{"sum": "SumOutput", "count": "RegisterOutput", "shared": "SharedOutput", "global": "GlobalOutput", "buffer": "BufferOutput"}
var rowGathers = map[Reduction]string{Sum: "RowSum<PairFunction>", Count: "RowCount<PairFunction>", Least: "RowExtreme<PairFunction, true>", Most: "RowExtreme<PairFunction, false>"}

// Outputs returns the words for where the job's kernels gather, in their names: "rows"
// for each row, "sum" or "count" in registers, "shared" or "global" memory, or a
// "buffer" of pairs. A histogram has two: one that is too large for shared memory goes
// to global memory, and sizes are known at run time only.
func (j *Job) Outputs(m Method) []string {
	switch {
	case j.PerRow:
		return []string{"rows"}
	case m.Output == "global":
		return []string{"global"}
	case m.Output != "":
		return []string{"shared"}
	}
	return map[Reduction][]string{Sum: {"sum"}, Count: {"count"}, Histogram: {"shared", "global"}, Pairs: {"buffer"}}[j.Reduction]
}

// CheckMethod refuses an output of a method where the job has no counters.
func (j *Job) CheckMethod(m Method) error {
	kept := "pairs go to a buffer in global memory"
	switch {
	case m.Output == "" || (j.Reduction == Count || j.Reduction == Histogram) && !j.PerRow:
		return nil
	case j.PerRow:
		kept = "a result for each row is kept in the registers of its thread"
	case j.Reduction == Sum:
		kept = "an exact sum is kept in the words of each thread"
	}
	return fmt.Errorf("%s: it is where a GPU counts the pairs of count and hist; %s", m.Output, kept)
}

// KernelName is the name in the generated source of the kernel with an output.
func (j *Job) KernelName(m Method, output string) string {
	sum := sha256.Sum256([]byte(j.functor() + fmt.Sprint(j.Reduction, j.PerRow)))
	return fmt.Sprintf("pair_%x_%s_%s", sum[:6], tilings[m.tiling()].word, output)
}

// kernel is the call that a kernel consists of.
func (j *Job) kernel(m Method, output string) string {
	t := tilings[m.tiling()]
	if j.PerRow {
		return fmt.Sprintf("pairs_rows<PairFunction, %s, %s>", rowGathers[j.Reduction], t.rows)
	}
	return fmt.Sprintf(t.pairs, gathers[output])
}

// CUDA returns the source of the job's kernels. templates are the text of
// common.cuh and pairs.cuh of gpu/kernels.
//
// Where the method leaves the tiling open tiles are in shared memory, and a histogram has
// kernels for shared and for global memory, of which a run takes the first if it fits;
// [Job.Decide] chooses by the rules of the paper.
func (j *Job) CUDA(m Method, templates ...string) string {
	var s strings.Builder
	what := j.Reduction.String()
	if j.PerRow {
		what += " of each row"
	}
	writeComment(&s, j.src, what+". Generated.", "",
		"Compile with -std=c++17 --fmad=false, so that values are those of the CPU.",
		"Columns of a query, [column][stride] float64:"+j.describe(ofA),
		"Columns of a data point:"+j.describe(ofB))
	for _, t := range templates {
		for line := range strings.Lines(t) {
			if !strings.HasPrefix(line, `#include "common.cuh"`) {
				s.WriteString(line)
			}
		}
	}
	s.WriteString("\n")
	s.WriteString(j.functor())
	for _, output := range j.Outputs(m) {
		fmt.Fprintf(&s, "\nKERNEL_IN_PLACE(%s, PairsParams, PAIRS_THREADS) { %s(p); }\n", j.KernelName(m, output), j.kernel(m, output))
	}
	return s.String()
}

// writeComment writes lines that no name of a column leads out of.
func writeComment(s *strings.Builder, lines ...string) {
	open := "/*"
	for i, line := range lines {
		line = strings.Map(func(c rune) rune {
			if unicode.IsPrint(c) {
				return c
			}
			return ' '
		}, strings.TrimRight(open+" "+line, " "))
		s.WriteString(line[:2] + strings.ReplaceAll(line[2:], "*/", "* /"))
		if open = " *"; i == len(lines)-1 {
			s.WriteString(" */")
		}
		s.WriteByte('\n')
	}
}

// describe lists the columns of a side.
func (f *Function) describe(side uint8) string {
	var s strings.Builder
	for k, n := range f.frontier(side) {
		fmt.Fprintf(&s, " %d: %s;", k, f.formula(n))
	}
	if s.Len() == 0 {
		return " none, one of zeros"
	}
	return s.String()
}

// constantText writes a constant so that it is read back as it is.
func constantText(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return fmt.Sprintf("__longlong_as_double(0x%xll)", math.Float64bits(v))
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// formula writes a node as an expression, in parentheses.
func (f *Function) formula(n *node) string {
	switch n.op {
	case opConst:
		return constantText(n.value)
	case opTruth:
		return fmt.Sprint(n.value != 0)
	case opA:
		return "a." + f.columnsA[n.column]
	case opB:
		return "b." + f.columnsB[n.column]
	}
	o := operations[n.op]
	if n.args[1] == nil {
		return fmt.Sprintf("%s(%s)", o.name, f.formula(n.args[0]))
	}
	return fmt.Sprintf("(%s %s %s)", f.formula(n.args[0]), o.name, f.formula(n.args[1]))
}

// functor is the pair function of the templates.
func (j *Job) functor() string {
	var body strings.Builder
	name := map[*node]string{}
	for side, column := range map[uint8]string{ofA: "a[%d]", ofB: "b[%d]"} {
		for k, n := range j.frontier(side) {
			name[n] = fmt.Sprintf(column, k)
			if n.truth {
				name[n] = "(" + name[n] + " != 0)"
			}
		}
	}
	for _, n := range j.nodes {
		if n.op == opConst || n.op == opTruth {
			name[n] = j.formula(n)
		}
		if name[n] != "" || n.rows == ofA || n.rows == ofB {
			continue
		}
		args := []any{name[n.args[0]], ""}
		if n.args[1] != nil {
			args[1] = name[n.args[1]]
		}
		text := fmt.Sprintf(operations[n.op].cuda+"%[3]s", append(args, "")...)
		name[n] = fmt.Sprintf("v%d", n.id)
		fmt.Fprintf(&body, "\t\t%s v%d = %s;\n", map[bool]string{true: "bool", false: "double"}[n.truth], n.id, text)
	}
	values := map[bool]string{true: "bool", false: "double"}[j.Truth()]
	code, guess := "u32", "return value(a, b);"
	switch j.Reduction {
	case Sum:
		code = "double"
	case Histogram:
		guess = "return value_bin(p, value(a, b));"
	case Least, Most:
		code = "double"
	}
	return fmt.Sprintf(functorText, code, max(len(j.frontier(ofA)), 1), max(len(j.frontier(ofB)), 1), values, body.String(), name[j.root], guess)
}

const functorText = `__device__ static __forceinline__ double least(double x, double y) { return x < y || x != x ? x : y; }
__device__ static __forceinline__ double most(double x, double y) { return x > y || x != x ? x : y; }
__device__ static __forceinline__ double modulo(double x, double y) {
	double m = fmod(x, y);
	return m != 0 && (m < 0) != (y < 0) ? m + y : m;
}

struct PairFunction {
	typedef double Real;
	typedef %s Code;
	enum { DYNAMIC = 0, QUERY = %d, DATA = %d, SURE = 1, BIAS = 0 };
	__device__ static const double *query(const PairsParams &p) { return p.query; }
	__device__ static const double *data(const PairsParams &p) { return p.data; }
	__device__ static __forceinline__ float size(float doubt) { return 0; }
	__device__ static __forceinline__ Code settle(const PairsParams &p, Code code, float doubt, u32 i, u32 j) { return code; }
	__device__ static __forceinline__ %s value(const double (&a)[QUERY], const double (&b)[DATA]) {
%s		return %s;
	}
	__device__ static __forceinline__ Code guess(const PairsParams &p, const double (&a)[QUERY], const double (&b)[DATA], u32 i, u32 j, float &doubt) {
		%s
	}
};
`

// RowColumns returns what the generated kernels take: the columns of either side,
// each as long as its table. A side that the function does not read has one column
// of zeros.
func (j *Job) RowColumns() (a, b [][]float64) {
	return j.kernelColumns(ofA, j.A), j.kernelColumns(ofB, j.B)
}

func (j *Job) kernelColumns(side uint8, t Table) (columns [][]float64) {
	values := j.rowColumns(side, t)
	for _, n := range j.frontier(side) {
		columns = append(columns, values[n.id])
	}
	if columns == nil {
		columns = [][]float64{make([]float64, t.Rows)}
	}
	return columns
}
