package vo

import (
	"bytes"
	"context"
	"io"
	"maps"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A Query is what a TAP service is asked.
type Query struct {
	ADQL    string
	MaxRows int64 // at most; 0 is the service's limit
	Uploads []Upload
}

// An Upload is a VOTable that a query names TAP_UPLOAD.Name.
type Upload struct {
	Name  string
	Table []byte
}

// Sync asks a query and returns the VOTable of its result, which the service computes
// meanwhile.
func (c *Client) Sync(ctx context.Context, service string, q Query) (io.ReadCloser, error) {
	kind, body, err := q.form()
	if err != nil {
		return nil, err
	}
	res, err := c.post(ctx, below(service, "sync"), kind, body)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// Submit makes a job of a query, which does not run yet, and returns its address.
func (c *Client) Submit(ctx context.Context, service string, q Query) (job string, err error) {
	kind, body, err := q.form()
	if err != nil {
		return "", err
	}
	res, err := c.post(ctx, below(service, "async"), kind, body)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	job = res.Request.URL.String() // of the redirection, 303
	if strings.TrimSuffix(job, "/") == below(service, "async") {
		message, found := Refusal(io.LimitReader(res.Body, longestAnswer))
		if !found {
			message = "the service answers without the address of a job"
		}
		return "", &ServiceError{URL: job, Status: res.StatusCode, Message: message}
	}
	return job, nil
}

// form is the request as a form of HTTP: with a file for each upload, or else encoded
// as an address. FORMAT is what TAP 1.0 calls RESPONSEFORMAT.
func (q Query) form() (kind string, body []byte, err error) {
	fields := url.Values{"REQUEST": {"doQuery"}, "LANG": {"ADQL"}, "QUERY": {q.ADQL}, "FORMAT": {"votable"}, "RESPONSEFORMAT": {"votable"}}
	if q.MaxRows > 0 {
		fields.Set("MAXREC", strconv.FormatInt(q.MaxRows, 10))
	}
	if len(q.Uploads) == 0 {
		return "application/x-www-form-urlencoded", []byte(fields.Encode()), nil
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, u := range q.Uploads {
		fields.Add("UPLOAD", u.Name+",param:"+u.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, value := range fields[name] {
			if err := w.WriteField(name, value); err != nil {
				return "", nil, err
			}
		}
	}
	for _, u := range q.Uploads {
		part, err := w.CreateFormFile(u.Name, u.Name+".vot")
		if err != nil {
			return "", nil, err
		}
		if _, err := part.Write(u.Table); err != nil {
			return "", nil, err
		}
	}
	err = w.Close()
	return w.FormDataContentType(), b.Bytes(), err
}

// below is the address of a resource of a service or of a job.
func below(address, name string) string {
	address, query, _ := strings.Cut(address, "?")
	address = strings.TrimSuffix(address, "/") + "/" + name
	if query != "" {
		address += "?" + query
	}
	return address
}
