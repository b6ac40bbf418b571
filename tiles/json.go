package tiles

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"skyjoin/internal/file"
)

// writeJSON writes a file and syncs it to disk.
func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return writeFile(path, append(text, '\n'))
}

func writeFile(path string, text []byte) error {
	return file.Write(context.Background(), path, file.Options{Force: true}, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}
