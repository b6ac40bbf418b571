package catalog

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// HATS partitions a catalog by HEALPix cells into Parquet files
// dataset/Norder=…/Dir=…/Npix=….parquet (or folders of them), and says in a
// file of properties what it is. A collection is a folder of one catalog and
// of what was made for it: margin caches, which repeat rows near the borders of
// cells, and indexes. Only the catalog has its rows, each once.

// hatsProperties reads the properties of a folder, of which the file has one
// of the names; nil if there is none.
func hatsProperties(root fs.FS, dir string, names ...string) (map[string]string, error) {
	for _, n := range names {
		text, err := fs.ReadFile(root, path.Join(dir, n))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		props := map[string]string{}
		for line := range strings.Lines(string(text)) {
			key, value, ok := strings.Cut(line, "=")
			if ok && !strings.HasPrefix(line, "#") {
				props[strings.TrimSpace(key)] = strings.TrimSpace(value)
			}
		}
		return props, nil
	}
	return nil, nil
}

// derivedProducts are the types of HATS catalogs that repeat rows of others.
var derivedProducts = []string{"margin", "index", "association", "map"}

// hatsFolder says what of a folder below the one that was asked for, or of that
// one itself, is rows: nothing if skip, and if only is not empty, of the
// folders in it that one.
func hatsFolder(root fs.FS, dir string) (skip bool, only string, err error) {
	props, err := hatsProperties(root, dir, "collection.properties")
	if err != nil {
		return false, "", err
	}
	if only = props["hats_primary_table_url"]; props != nil && only != "" {
		if !fs.ValidPath(only) || strings.Contains(only, "/") || only == "." {
			return false, "", fmt.Errorf("the primary table of the collection, %s, is elsewhere; name its folder", only)
		}
		return false, only, nil
	}
	props, err = hatsProperties(root, dir, "hats.properties", "properties")
	if err != nil {
		return false, "", err
	}
	if dir != "." && slices.Contains(derivedProducts, props["dataproduct_type"]) {
		return true, "", nil
	}
	return false, "", hatsComplete(root, dir, props)
}

// hatsComplete reports a catalog of which a partition is missing, by its
// partition_info.csv: rows must not be lost because a download was cut short.
func hatsComplete(root fs.FS, dir string, props map[string]string) error {
	if props["dataproduct_type"] == "" || props["dataproduct_type"] == "index" {
		return nil
	}
	text, err := fs.ReadFile(root, path.Join(dir, "partition_info.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return fmt.Errorf("partition_info.csv is damaged")
	}
	order, pixel := slices.Index(rows[0], "Norder"), slices.Index(rows[0], "Npix")
	if order < 0 || pixel < 0 {
		return nil // of another version
	}
	suffix := props["hats_npix_suffix"]
	if suffix == "" {
		suffix = ".parquet"
	}
	for _, r := range rows[1:] {
		n, err := strconv.ParseInt(r[pixel], 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("partition_info.csv has the cell Npix %q", r[pixel])
		}
		name := fmt.Sprintf("dataset/Norder=%s/Dir=%d/Npix=%d%s", r[order], n/10000*10000, n, strings.TrimSuffix(suffix, "/"))
		if _, err := fs.Stat(root, path.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the partition %s, which partition_info.csv names, is missing", name)
		}
	}
	return nil
}
