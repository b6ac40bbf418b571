package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"time"

	"skyjoin/internal/page"
)

// A component is a program or a part of one, as CycloneDX 1.6 describes it.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licenses   []licence  `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A dependency says what one component is made of.
type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// bom is the bill of materials of a program, CycloneDX 1.6 in JSON.
func (r *release) bom(t target, program string, parts []part) ([]byte, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(binary)
	main := component{
		Type: "application", Ref: purl("skyjoin", r.version), Name: "skyjoin", Version: r.version, PURL: purl("skyjoin", r.version),
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}, Licenses: licencesOf([]string{"Apache-2.0"}),
		Properties: []property{{"skyjoin:commit", r.commit}, {"skyjoin:target", t.String()}},
	}
	own := dependency{Ref: main.Ref}
	var components []component
	var dependencies []dependency
	for _, p := range parts {
		ids, err := p.licences()
		if err != nil {
			return nil, err
		}
		c := component{Type: "library", Name: p.path, Version: p.version, PURL: purl(p.path, p.version), Licenses: licencesOf(ids)}
		if c.Ref = c.PURL; p.sum != "" {
			c.Properties = []property{{"go:sum", p.sum}}
		}
		components, dependencies = append(components, c), append(dependencies, dependency{Ref: c.Ref})
		own.DependsOn = append(own.DependsOn, c.Ref)
	}
	for _, l := range page.Libraries() {
		c := component{Type: "library", Name: l.Name, Version: l.Version, PURL: "pkg:npm/" + l.Name + "@" + l.Version, Licenses: licencesOf([]string{licenceOf(l.Terms)})}
		c.Ref = c.PURL
		components, dependencies = append(components, c), append(dependencies, dependency{Ref: c.Ref})
		own.DependsOn = append(own.DependsOn, c.Ref)
	}
	id := sum[:16] // a UUID of version 8, which is that of the program
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	u := hex.EncodeToString(id)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(map[string]any{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"serialNumber": "urn:uuid:" + u[:8] + "-" + u[8:12] + "-" + u[12:16] + "-" + u[16:20] + "-" + u[20:],
		"metadata":     map[string]any{"timestamp": r.at.Format(time.RFC3339), "component": main},
		"components":   components, "dependencies": append([]dependency{own}, dependencies...),
	})
	return b.Bytes(), err
}

// purl is the package URL of a module.
func purl(path, version string) string {
	return "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
}

func licencesOf(ids []string) (all []licence) {
	for _, id := range ids {
		var l licence
		l.License.ID = id
		all = append(all, l)
	}
	return all
}
