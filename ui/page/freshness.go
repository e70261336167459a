package page

import (
	"fmt"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// Lost reports whether the data is no longer updated: the server does not answer, or
// answers with errors.
func (o *Observed) Lost() bool { return o.Snapshot.Status.Connection.Lost() }

// Staleness says for how long there has been no answer, or how old the data is
// where the server answers, and when the next try is.
func (o *Observed) Staleness() string {
	c := o.Snapshot.Status.Connection
	words := "no answer"
	switch age := figures.Clock(o.At.Sub(c.Heard)); {
	case c.Heard.IsZero():
	case c.Problem.Answers():
		words = age + " old"
	default:
		words += " for " + age
	}
	switch wait := c.Retry.Sub(o.At); {
	case wait > 0:
		words += ", retry in " + figures.Clock(max(wait, time.Second))
	case c.Err != "":
		words += ", reconnecting"
	}
	return words
}

// LostWords say why the last try failed, and what would help.
func (o *Observed) LostWords() string {
	status := o.Snapshot.Status
	c := status.Connection
	server, err := model.Clean(status.Server), model.Clean(c.Err)
	tries := ""
	if c.Tries > 0 {
		tries = " (" + figures.Count(c.Tries, "try", "tries") + ")"
	}
	switch c.Problem {
	case model.Silent:
		return fmt.Sprintf("Waiting for an answer from %s. ctrl-r retries.", server)
	case model.Unauthorized:
		return fmt.Sprintf("%s does not accept the credentials%s. Log in again; ctrl-r retries.", server, tries)
	case model.Throttled:
		return fmt.Sprintf("Waiting for %s: %s%s.", server, err, tries)
	case model.NotAnAPI:
		return fmt.Sprintf("%s: %s. A proxy in front of it may need a login; ctrl-r retries.", server, err)
	case model.NotReady, model.Failing, model.Rejected:
		return fmt.Sprintf("%s: %s%s. ctrl-r retries.", server, err, tries)
	}
	return fmt.Sprintf("No answer from %s: %s%s. ctrl-r retries.", server, err, tries)
}

// Taken says how long ago a snapshot was taken, by this machine's clock.
func (o *Observed) Taken() string {
	if ahead := o.Snapshot.Status.Taken.Sub(o.At); ahead > time.Minute {
		return "taken " + model.FormatAge(o.At, o.Snapshot.Status.Taken) + " ahead of this clock"
	}
	return "taken " + model.FormatAge(o.Snapshot.Status.Taken, o.At) + " ago"
}

// AsOfWords say of when the counts are, where they are not live.
func (o *Observed) AsOfWords() string {
	switch {
	case o.Snapshot.Status.Steps > 0: // steps are seconds apart
		return " at " + o.AsOf().UTC().Format("15:04:05 MST")
	case o.IsSnapshot():
		return " on " + o.AsOf().UTC().Format("2 Jan 15:04 MST")
	case o.Lost():
		return " at " + o.Snapshot.Status.Connection.Heard.Format("15:04:05")
	}
	return ""
}
