package vo

import (
	"context"
	"encoding/xml"

	"io"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// A Job is what a service tells of a job (UWS 1.1).
type Job struct {
	Phase       string `xml:"phase"`
	Quote       string `xml:"quote"`       // when it will have ended, "" if unknown
	Destruction string `xml:"destruction"` // when it will be removed
	Error       struct {
		Message string `xml:"message"`
	} `xml:"errorSummary"`
	Results []struct {
		ID   string `xml:"id,attr"`
		Href string `xml:"href,attr"`
	} `xml:"results>result"`
}

// The phases that end by themselves, and those that last.
var (
	active = []string{"PENDING", "QUEUED", "EXECUTING"}
	rest   = []string{"HELD", "SUSPENDED", "UNKNOWN"}
)

// A JobError is a job that has ended without a result.
type JobError struct{ URL, Phase, Message string }

// Is implements errors.Is.
func (e *JobError) Is(kind error) bool { return kind == ErrService }

func (e *JobError) Error() string {
	text := e.URL + ": the job ended in phase " + e.Phase
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Await runs a job, if nobody has, and waits until it has ended. It calls seen with
// every phase that it is in.
func (c *Client) Await(ctx context.Context, job string, seen func(Job)) (Job, error) {
	last := ""
	for pause := c.pause(); ; pause = min(pause*3/2, 30*time.Second) {
		j, err := c.look(ctx, job, last)
		if err != nil {
			return j, err
		}
		if j.Phase != last {
			pause = c.pause()
			seen(j)
		}
		last = j.Phase
		switch {
		case j.Phase == "COMPLETED" || j.Phase == "ARCHIVED":
			return j, nil
		case j.Phase == "PENDING" || j.Phase == "HELD":
			if err := c.order(ctx, below(job, "phase"), "PHASE", "RUN"); err != nil {
				return j, err
			}
		case !slices.Contains(active, j.Phase) && !slices.Contains(rest, j.Phase):
			return j, &JobError{URL: job, Phase: j.Phase, Message: c.why(ctx, job, j)}
		}
		if err := sleep(ctx, pause); err != nil {
			return j, err
		}
	}
}

// look asks for a job. Services of UWS 1.1 answer when the phase is no longer the last
// one, or after a while; older ones answer at once.
func (c *Client) look(ctx context.Context, job, last string) (j Job, err error) {
	address := job
	if slices.Contains(active, last) {
		const seconds = "30"
		u, err := url.Parse(job)
		if err != nil {
			return j, err
		}
		q := u.Query()
		q.Set("WAIT", seconds)
		q.Set("PHASE", last)
		u.RawQuery = q.Encode()
		address = u.String()
	}
	body, err := c.Get(ctx, address)
	if err != nil {
		return j, err
	}
	defer body.Close()
	if err := xml.NewDecoder(io.LimitReader(body, longestAnswer)).Decode(&j); err != nil || j.Phase == "" {
		return j, &ServiceError{URL: job, Status: http.StatusOK, Message: "the answer is no description of a job"}
	}
	return j, nil
}

// why is the message of a job that failed: that of its error document, which is longer,
// or of its description.
func (c *Client) why(ctx context.Context, job string, j Job) string {
	if j.Phase == "ERROR" {
		if body, err := c.Get(ctx, below(job, "error")); err == nil {
			defer body.Close()
			if message, found := Refusal(io.LimitReader(body, longestAnswer)); found {
				return message
			}
		}
	}
	return clip(j.Error.Message)
}

// Result returns the VOTable of a job that is completed.
func (c *Client) Result(ctx context.Context, job string, j Job) (io.ReadCloser, error) {
	address := below(job, "results/result") // TAP 1.1, section 2.2.2
	base, err := url.Parse(job)
	if err != nil {
		return nil, err
	}
	for _, r := range j.Results {
		if u, err := base.Parse(r.Href); err == nil && r.Href != "" && (r.ID == "result" || len(j.Results) == 1) {
			address = u.String()
		}
	}
	return c.Get(ctx, address)
}

// Abort ends a job that runs.
func (c *Client) Abort(ctx context.Context, job string) error {
	return c.order(ctx, below(job, "phase"), "PHASE", "ABORT")
}

// Delete removes a job with its result. A job that is not there is no error.
func (c *Client) Delete(ctx context.Context, job string) error {
	res, err := checked(c.send(ctx, http.MethodDelete, job, "", nil))
	if err == nil {
		return res.Body.Close()
	}
	if Gone(err) {
		return nil
	}
	return c.order(ctx, job, "ACTION", "DELETE") // where a proxy lets no DELETE through
}

// order posts a parameter of a job.
func (c *Client) order(ctx context.Context, address, name, value string) error {
	res, err := c.post(ctx, address, "application/x-www-form-urlencoded", []byte(url.Values{name: {value}}.Encode()))
	if err != nil {
		return err
	}
	return res.Body.Close()
}
