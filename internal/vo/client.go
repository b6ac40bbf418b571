// Package vo is a client of services of the Virtual Observatory: tables by TAP 1.1,
// with jobs of UWS 1.1, and by the cone search of SCS 1.03, over HTTP.
//
// Proxies are those of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).
package vo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Client asks services. Its zero value asks as nobody.
type Client struct {
	Agent          string // names the program to services
	Token          string // of HTTP's Bearer scheme, or
	User, Password string // of its Basic scheme
	Pause          time.Duration
}

// ErrPlain is the error of credentials that would be sent readable for all on the way.
var ErrPlain = errors.New("credentials go over https only, or to this machine")

// tries is how often what changes nothing at a service is asked, if the network or the
// service fails for a while.
const tries = 5

// get asks for a document, again where that may help.
func (c *Client) get(ctx context.Context, address string) (*http.Response, error) {
	for try := 1; ; try++ {
		res, err := c.send(ctx, http.MethodGet, address, "", nil)
		again, after := passing(res, err)
		if !again || try == tries {
			return checked(res, err)
		}
		if res != nil {
			res.Body.Close()
		}
		if err := sleep(ctx, max(after, c.pause()<<(try-1))); err != nil {
			return nil, err
		}
	}
}

// post sends a form once: a service may have begun what it answers no more.
func (c *Client) post(ctx context.Context, address, kind string, body []byte) (*http.Response, error) {
	return checked(c.send(ctx, http.MethodPost, address, kind, body))
}

// send sends a request and follows redirections, by GET after 303 (See Other).
func (c *Client) send(ctx context.Context, method, address, kind string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.Agent)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if c.Token != "" || c.User != "" {
		if !safe(req.URL) {
			return nil, fmt.Errorf("%s: %w", address, ErrPlain)
		}
		if req.SetBasicAuth(c.User, c.Password); c.Token != "" {
			req.Header.Set("Authorization", "Bearer "+c.Token)
		}
	}
	client := http.Client{CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if next.Header.Get("Authorization") != "" && !safe(next.URL) {
			return ErrPlain
		}
		if len(via) > 10 {
			return errors.New("it leads in a circle: more than 10 redirections")
		}
		return nil
	}}
	res, err := client.Do(req)
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = &NetworkError{e.URL, e.Err}
	}
	if err == nil {
		res.Body = &incoming{res.Body, req.URL.Redacted()}
	}
	return res, err
}

// safe reports whether nobody can read on the way what is sent to a place.
func safe(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// passing reports whether a failure may pass, and when the service says so.
func passing(res *http.Response, err error) (bool, time.Duration) {
	if err != nil {
		unknown := (*net.DNSError)(nil)
		return !errors.Is(err, context.Canceled) && !errors.Is(err, ErrPlain) && !(errors.As(err, &unknown) && unknown.IsNotFound), 0
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		const most = 5 * time.Minute
		s, _ := strconv.Atoi(res.Header.Get("Retry-After")) // 0 where it is a date
		return true, min(time.Duration(max(s, 0))*time.Second, most)
	}
	return false, 0
}

// checked turns what a service refuses into an error.
func checked(res *http.Response, err error) (*http.Response, error) {
	if err != nil || res.StatusCode < 400 {
		return res, err
	}
	defer res.Body.Close()
	return nil, &ServiceError{URL: res.Request.URL.Redacted(), Status: res.StatusCode, Message: messageOf(res)}
}

// pause is the first wait between two looks.
func (c *Client) pause() time.Duration { return cmp.Or(c.Pause, time.Second) }

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Get returns the document at an address.
func (c *Client) Get(ctx context.Context, address string) (io.ReadCloser, error) {
	res, err := c.get(ctx, address)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// Cone returns the table of a cone search: of what lies within a radius of a place,
// all in degrees, ICRS.
func (c *Client) Cone(ctx context.Context, service string, ra, dec, radius float64) (io.ReadCloser, error) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	query := "RA=" + number(ra) + "&DEC=" + number(dec) + "&SR=" + number(radius)
	switch last := service[len(service)-1:]; { // as SCS 1.03, section 2.1, has base URLs end
	case strings.Contains("?&", last):
	case strings.Contains(service, "?"):
		query = "&" + query
	default:
		query = "?" + query
	}
	return c.Get(ctx, service+query)
}
