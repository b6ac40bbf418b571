package job

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/page"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
)

// Recorded is the command line that a file records, which ends with the flag that
// named the file.
func Recorded(ctx context.Context, path string) (line []string, err error) {
	parameters, err := parametersOf(ctx, path)
	if err != nil {
		return nil, err
	}
	for _, p := range parameters {
		if p.Name != report.RunKey {
			continue
		}
		if err := json.Unmarshal([]byte(p.Value), &line); err != nil || len(line) < 2 || !strings.HasPrefix(line[len(line)-1], "--") {
			return nil, fmt.Errorf("%s: metadata %s, %q, is no command line", path, p.Name, p.Value)
		}
		return line, nil
	}
	const others = ".parquet, .fits, .vot and .ecsv files and figures of this program do"
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".csv" || ext == ".tsv" || ext == ".txt" {
		return nil, fmt.Errorf("%s does not record the run that made it: CSV has no place for that; -o %s.ecsv writes text that has, and %s", path, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), others)
	}
	return nil, fmt.Errorf("%s does not record the run that made it; %s", path, others)
}

// parametersOf are the parameters that a table or a figure records.
func parametersOf(ctx context.Context, path string) (all []figure.Parameter, err error) {
	if _, err := figure.Format(path); err == nil || page.Is(path) {
		file, err := os.ReadFile(path)
		return figure.ReadInfo(file).Parameters, err
	}
	cat, err := flags.OpenCatalog(ctx, []string{path}, catalog.Options{})
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	for _, kv := range cat.Metadata() {
		if name, ours := strings.CutPrefix(kv.Key, report.MetadataPrefix); ours {
			all = append(all, figure.Parameter{Name: name, Value: kv.Value})
		}
	}
	return all, nil
}
