package vo

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Kinds of errors, for errors.Is.
var (
	ErrNetwork     = errors.New("the service cannot be reached")
	ErrService     = errors.New("the service refuses, or has failed")
	ErrCredentials = errors.New("the service wants to know who asks")
)

// A NetworkError is a connection that fails, or breaks off.
type NetworkError struct {
	URL string
	Err error
}

func (e *NetworkError) Error() string { return e.URL + ": " + e.Err.Error() }

func (e *NetworkError) Unwrap() error { return e.Err }

// Is implements errors.Is.
func (e *NetworkError) Is(kind error) bool { return kind == ErrNetwork }

// An incoming is what a service sends; errors of it are of the network.
type incoming struct {
	io.ReadCloser
	url string
}

func (b *incoming) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &NetworkError{b.url, err}
	}
	return n, err
}

// A ServiceError is what a service answers in place of a result.
type ServiceError struct {
	URL     string
	Status  int // of HTTP
	Message string
}

func (e *ServiceError) Error() string {
	return fmt.Sprintf("%s: %s (HTTP %d)", e.URL, cmp.Or(e.Message, strings.ToLower(http.StatusText(e.Status))), e.Status)
}

// Is implements errors.Is.
func (e *ServiceError) Is(kind error) bool {
	if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
		return kind == ErrCredentials
	}
	return kind == ErrService
}

// Gone reports whether a service no longer has what was asked for.
func Gone(err error) bool {
	e := (*ServiceError)(nil)
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

// The longest answer that is looked through for a message, and the longest message.
const (
	longestAnswer  = 1 << 20
	longestMessage = 300
)

// messageOf is the message of an answer that is an error: of a VOTable, where DALI and
// SCS put it, or the text itself.
func messageOf(res *http.Response) string {
	text, err := io.ReadAll(io.LimitReader(res.Body, longestAnswer))
	if err != nil {
		return ""
	}
	message, found := Refusal(bytes.NewReader(text))
	if !found && strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") {
		message = string(text)
	}
	return clip(message)
}

// clip makes a message one line of bounded length.
func clip(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	if runes := []rune(message); len(runes) > longestMessage {
		message = string(runes[:longestMessage]) + "…"
	}
	return message
}

// Refusal looks for the message of an error before the rows of a VOTable: an INFO
// QUERY_STATUS with the value ERROR (DALI 1.1, section 4.4), or an INFO or PARAM Error
// (SCS 1.03, section 2.3).
func Refusal(document io.Reader) (message string, found bool) {
	d := xml.NewDecoder(document)
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := d.Token()
		if err != nil {
			return "", false
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "DATA":
			return "", false
		case "INFO", "PARAM":
			var e struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
				Text  string `xml:",chardata"`
			}
			if d.DecodeElement(&e, &start) != nil {
				return "", false
			}
			switch {
			case e.Name == "QUERY_STATUS" && strings.EqualFold(e.Value, "ERROR"):
				return cmp.Or(clip(e.Text), "QUERY_STATUS is ERROR"), true
			case strings.EqualFold(e.Name, "error"):
				return clip(cmp.Or(e.Value, e.Text)), true
			}
		}
	}
}
