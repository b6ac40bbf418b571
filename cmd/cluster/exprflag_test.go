package main

import (
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
)

// What is wrong with an expression is said of the flag that has it, with the
// expression and the place in it.
func TestErrorsOfExpressionsShowThem(t *testing.T) {
	a, b := cmdtest.CSVOf(t, "x,y", "1,2", "9223372036854775807,3"), cmdtest.CSVOf(t, "x,yy", "1,2")
	long := strings.Repeat("x > 3 or ", 40)
	plan := filepath.Join(t.TempDir(), "plan")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"join", a, "-c", "x,y", "--eps", "1", "--where", "x >"}, "--where x >: the expression ends where a value was expected, at character 4"},
		{[]string{"join", a, "-c", "x,y", "--eps", "1", "--where", "x > 3 and\n\tz < 3"}, `--where x > 3 and  z < 3: there is no column "z"; there are x, y, at character 12`},
		{[]string{"join", a, "-c", "x,y", "--eps", "1", "--where", "x + 1 > 3"}, "--where x + 1 > 3: integer overflow in x + 1, row 1"},
		{[]string{"join", a, b, "-c", "x,y", "--columns-b", "x,yy", "--eps", "1", "--where-b", "y < 3"}, `--where-b y < 3: there is no column "y"; there are x, yy, at character 1`},
		{[]string{"hist", a, "--with", b, "-c", "x,y", "--columns-b", "x,yy", "--bins", "lin:0:9:3", "--where", "q < 3", "--where-b", "q < 3"}, `--where or --where-b q < 3: there is no column "q"`},
		{[]string{"classify", b, "--train", a, "--regress", "y", "--features", "x", "-k", "1", "--where-train", "y"}, "--where-train y: y is an int64, a filter must be true or false"},
		{[]string{"plan", "hist", a, "-c", "x,y", "--bins", "lin:0:9:3", "--tiles", "2", "-o", plan, "--where", "(x"}, "--where (x: the expression ends where ) was expected, at character 3"},
		{[]string{"convert", a, "-o", flags.Stdout, "--let", "ok = x > 3", "--let", " q =  y*(ok "}, "--let q = y*(ok: the expression ends where ) was expected, at character 6"},
		{[]string{"convert", a, "-o", flags.Stdout, "--let", "q = x + 1"}, "--let q = x + 1: integer overflow in x + 1, row 1"},
		{[]string{"stat", a, "--expr", "1 + a.yy", "--reduce", "sum"}, `--expr 1 + a.yy: there is no column "yy"; did you mean y?, at character 5`},
		{[]string{"stat", a, b, "--expr", "a.y - b.y", "--reduce", "sum"}, `--expr a.y - b.y: there is no column "y"; there are x, yy, at character 7`},
		{[]string{"stat", a, "--expr", "a.y -", "--reduce", "sum"}, "--expr a.y -: the expression ends where a value was expected, at character 6"},
	} {
		cmdtest.Refuse(t, exit.Request, c.args, c.want)
	}
	cmdtest.Refuse(t, exit.Request, []string{"join", a, "-c", "x,y", "--eps", "1", "--where", long + "y = 'q'"}, "--where x > 3 or ", " … ", "or y = 'q': y is an int64, it cannot be compared with 'q', at character 361")
	// Columns of the second catalog may be derived.
	cmdtest.Succeed(t, "stat", a, b, "--let", "z = x*2.5", "--expr", "a.z < b.z", "--reduce", "count", "-q")
}
