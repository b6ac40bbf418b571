package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/each"
)

// formed are types that write themselves as JSON.
var formed = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[report.Float]():  {Types: []string{"number", "null"}},
	reflect.TypeFor[report.Object](): {Type: "object"},
	reflect.TypeFor[report.Matrix](): {Type: "array", Items: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Types: []string{"number", "null"}}}},
}

// flat returns a type with the fields of embedded structs as its own. Those that a
// pointer embeds may be left out.
func flat(t reflect.Type) reflect.Type {
	switch {
	case formed[t] != nil:
		return t
	case t.Kind() == reflect.Slice:
		return reflect.SliceOf(flat(t.Elem()))
	case t.Kind() == reflect.Pointer:
		return reflect.PointerTo(flat(t.Elem()))
	case t.Kind() == reflect.Map:
		return reflect.MapOf(t.Key(), flat(t.Elem()))
	case t.Kind() == reflect.Struct:
		var fields []reflect.StructField
		addFields(&fields, t, false)
		return reflect.StructOf(fields)
	}
	return t
}

func addFields(fields *[]reflect.StructField, t reflect.Type, mayMiss bool) {
	for f := range t.Fields() {
		tag := string(f.Tag)
		switch pointer := f.Type.Kind() == reflect.Pointer; {
		case f.Anonymous && pointer:
			addFields(fields, f.Type.Elem(), true)
		case f.Anonymous:
			addFields(fields, f.Type, mayMiss)
		case f.PkgPath == "" && !strings.Contains(tag, `json:"-"`):
			name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			if mayMiss && option == "" {
				tag = strings.Replace(tag, `json:"`+name, `json:"`+name+`,omitempty`, 1)
			}
			if pointer && (option != "" || f.Type.Elem().Kind() == reflect.Struct) {
				f.Type = f.Type.Elem() // it is not null, but missing
			}
			*fields = append(*fields, reflect.StructField{Name: fmt.Sprint("F", len(*fields)), Type: flat(f.Type), Tag: reflect.StructTag(tag)})
		}
	}
}

// schemaOf is the schema of a type.
func schemaOf(v any) *jsonschema.Schema {
	s, err := jsonschema.ForType(flat(reflect.TypeOf(v)), &jsonschema.ForOptions{TypeSchemas: formed})
	if err != nil {
		panic(err)
	}
	tidy(s)
	return s
}

// tidy says that lists are never null, and that keys that end in _ begin others.
func tidy(s *jsonschema.Schema) {
	if slices.Equal(s.Types, []string{"null", "array"}) {
		s.Types, s.Type = nil, "array"
	}
	for name, p := range s.Properties {
		tidy(p)
		if strings.HasSuffix(name, "_") {
			p.AdditionalProperties.Description = p.Description
			s.PatternProperties = map[string]*jsonschema.Schema{"^" + name: p.AdditionalProperties}
			delete(s.Properties, name)
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
			s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(r string) bool { return r == name })
		}
	}
	for _, inner := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if inner != nil {
			tidy(inner)
		}
	}
}

const draft = "https://json-schema.org/draft/2020-12/schema"

// schemas are those of all commands, by name, and of errors.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	fixed := func(s *jsonschema.Schema, title string) *jsonschema.Schema {
		s.Schema, s.Title = draft, title
		s.Properties["schema"].Const = jsonschema.Ptr(any(report.Schema))
		return s
	}
	failure := fixed(schemaOf(command.Failure{}), "what --json writes of a run that fails")
	failure.Properties["error"].Properties["kind"].Enum = each.Of(exit.Kinds(), func(kind string) any { return kind })
	failure.Properties["error"].Properties["status"].Enum = []any{exit.Failed, exit.Request, exit.Interrupted}
	all := map[string]*jsonschema.Schema{"error": failure}
	for _, e := range table {
		title := "what cluster " + e.Name + " --json writes"
		switch {
		case e.JSON != nil:
			all[e.Name] = fixed(schemaOf(e.JSON), title)
		case len(e.Results) > 0:
			s := fixed(schemaOf(report.Summary{}), title)
			about := s.Properties["result"].Description
			results := each.Of(e.Results, schemaOf)
			if s.Properties["result"] = results[0]; len(results) > 1 {
				s.Properties["result"] = &jsonschema.Schema{AnyOf: results}
			}
			s.Properties["result"].Description = about
			all[e.Name] = s
		}
	}
	return all
})

var resolved = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	all := map[string]*jsonschema.Resolved{}
	for name, s := range schemas() {
		r, err := s.Resolve(nil)
		if err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		all[name] = r
	}
	return all
})

// conforms fails where what a command has written with --json is not of its schema.
func conforms(t *testing.T, args []string, status int, stdout []byte) {
	t.Helper()
	if !slices.Contains(args, "--json") {
		return
	}
	name := args[0]
	if status != exit.Done {
		name = "error"
	}
	var v any
	if err := json.Unmarshal(stdout, &v); err != nil {
		t.Errorf("%s: stdout is not one JSON object: %v\n%s", strings.Join(args, " "), err, stdout)
		return
	}
	if r := resolved()[name]; r == nil {
		t.Errorf("%s: there is no schema of it", name)
	} else if err := r.Validate(v); err != nil {
		t.Errorf("%s: %v\n%.2000s", strings.Join(args, " "), err, stdout)
	}
	if o, ok := v.(map[string]any); !ok || status != exit.Done && o["error"].(map[string]any)["status"] != float64(status) {
		t.Errorf("%s: exit status %d, but %s", strings.Join(args, " "), status, stdout)
	}
}

const schemaFolder = "../../docs/schema"

// The schemas in docs are those of the types, and the page names every key.
func TestSchemasAreKept(t *testing.T) {
	kept, err := filepath.Glob(schemaFolder + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range kept {
		if schemas()[strings.TrimSuffix(filepath.Base(path), ".json")] == nil {
			t.Errorf("%s is of no command", path)
		}
	}
	for name, s := range schemas() {
		b, err := json.MarshalIndent(s, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		keep(t, filepath.Join(schemaFolder, name+".json"), append(b, '\n'))
	}
	page := "../../docs/json.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const mark = "<!-- keys: go test ./cmd/cluster -run TestSchemasAreKept -update-docs -->\n"
	head, _, found := strings.Cut(string(b), mark)
	if !found {
		t.Fatalf("%s has no mark", page)
	}
	keep(t, page, []byte(head+mark+keysOfAll()))
}

// keep compares a file, or writes it with -update-docs.
func keep(t *testing.T, path string, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(path); err == nil && bytes.Equal(got, want) {
		return
	} else if !*updateDocs {
		t.Errorf("%s is not what the types say (go test ./cmd/cluster -run TestSchemasAreKept -update-docs rewrites it): %v", path, err)
		return
	}
	if err := os.WriteFile(path, want, 0o666); err != nil {
		t.Fatal(err)
	}
}

// keysOfAll lists the keys of all schemas as tables.
func keysOfAll() string {
	var b strings.Builder
	section := func(title, file string, forms ...*jsonschema.Schema) {
		fmt.Fprintf(&b, "\n### %s\n\n[schema/%s.json](schema/%s.json)\n", title, file, file)
		for _, s := range forms {
			b.WriteString("\n| key | type | what it is |\n|---|---|---|\n")
			keys(&b, "", s)
		}
	}
	summary := schemaOf(report.Summary{})
	section("Every summary", "dbscan", summary)
	section("Errors", "error", schemas()["error"])
	for _, e := range table {
		switch s := schemas()[e.Name]; {
		case e.JSON != nil:
			section("`cluster "+e.Name+"`", e.Name, s)
		case s != nil && len(s.Properties["result"].AnyOf) > 0:
			section("`result` of `cluster "+e.Name+"`", e.Name, s.Properties["result"].AnyOf...)
		case s != nil:
			section("`result` of `cluster "+e.Name+"`", e.Name, s.Properties["result"])
		}
	}
	return b.String()
}

// keys lists the keys of an object, and of objects in it behind a dot.
func keys(b *strings.Builder, prefix string, s *jsonschema.Schema) {
	line := func(name string, p *jsonschema.Schema, may string) {
		kind := p.Type
		if kind == "" {
			kind = strings.Join(p.Types, " or ")
		}
		fmt.Fprintf(b, "| `%s%s` | %s%s | %s |\n", prefix, name, kind, may, strings.ReplaceAll(p.Description, "|", "\\|"))
		if p.Items != nil && p.Items.Type == "object" {
			keys(b, prefix+name+"[].", p.Items)
		}
		keys(b, prefix+name+".", p)
	}
	for _, name := range s.PropertyOrder {
		may := ""
		if !slices.Contains(s.Required, name) {
			may = ", if any"
		}
		line(name, s.Properties[name], may)
	}
	for pattern, p := range s.PatternProperties {
		line(strings.TrimPrefix(pattern, "^")+"N", p, ", if any")
	}
}

// A failing run says so on stdout too, whatever fails.
func TestErrorsAreJSON(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "1,2", "2,1", "9,9")
	out := cmdtest.Write(t, "old.csv", "")
	for _, c := range []struct{ line, kind string }{
		{"dbscan {in} --json", "usage"},
		{"dbscan {in} --min-points 2 --json --eps", "usage"},
		{"dbscan --json {in} --epsilom 3", "usage"},
		{"dbsan --json", "usage"},
		{"dbscan {in} -c x,y --eps 2 --min-points 2 -o {out} --json", "output"},
		{"dbscan {in} -c x,y --eps 2 --min-points 2 --where x>99 --json", "empty"},
		{"dbscan {in} -c x,z --eps 2 --min-points 2 --json=true", "request"},
		{"join {in} -c x,y --eps -2 --json", "usage"},
		{"info {in}.gone --json", "missing"},
		{"join {in} -c x,y --eps 2 --memory 10B --json", "memory"},
		{"status {in} --json", "plan"},
	} {
		args := strings.Fields(strings.NewReplacer("{in}", in, "{out}", out).Replace(c.line))
		r := cmdtest.Cluster(t, args...)
		if i := slices.Index(args, "--json=true"); i >= 0 {
			args[i] = "--json"
		}
		conforms(t, args, r.Status, []byte(r.Stdout))
		if r.Status == exit.Done || !strings.Contains(r.Stdout, `"kind":"`+c.kind+`"`) || !strings.HasPrefix(r.Stderr, "cluster: ") {
			t.Errorf("%s: status %d, %s%s", c.line, r.Status, r.Stdout, r.Stderr)
		}
	}
	r := cmdtest.Cluster(t, "dbscan", in, "--", "--json")
	if r.Stdout != "" {
		t.Errorf("a file named --json: %s", r.Stdout)
	}
}

// With --log-format json every line of stderr is a JSON object.
func TestLogsAreJSON(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "1,2", "2,1", "9,9")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"join", in, in, "-c", "x,y", "--eps", "2", "--progress", "always"}, []string{`"msg":"summary"`, `"result":{"pairs":5`, `"done":3,"total":3,"unit":"rows"`}},
		{[]string{"dbscan", in, in, "-c", "x,y", "--eps", "2", "--min-points", "2", "--json"}, []string{`"level":"WARN","msg":"` + in + ` is named twice`}},
		{[]string{"join", in, "-c", "x,q", "--eps", "2"}, []string{`"level":"ERROR","msg":"there is no column`, `"kind":"request"`}},
		{[]string{"dbscan", in, "-c", "x,y", "--eps", "2", "--min-points", "2", "-q"}, nil},
	} {
		r := cmdtest.Cluster(t, append(c.args, "--log-format", "json")...)
		for line := range strings.Lines(r.Stderr) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%v: %s is no JSON", c.args, line)
			}
		}
		for _, part := range c.want {
			if !strings.Contains(r.Stderr, part) {
				t.Errorf("%v: no %s in %s", c.args, part, r.Stderr)
			}
		}
		if c.want == nil && r.Stderr != "" {
			t.Errorf("%v: %s", c.args, r.Stderr)
		}
	}
}
