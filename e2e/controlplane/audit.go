package controlplane

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Write is a change that somebody asked the API server for.
type Write struct {
	User   string // who asked
	Verb   string // create, update, patch, delete, deletecollection
	URI    string // with its query: a dry run says dryRun=All
	Status int    // what the API server answered
}

// Writes are the changes that user has asked for since the start, in order; with AuditReads all
// requests. The control plane must have been started with Audit.
func (c *ControlPlane) Writes(user string) ([]Write, error) {
	file, err := os.Open(c.path(auditFile))
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	var writes []Write
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Verb           string                    `json:"verb"`
			RequestURI     string                    `json:"requestURI"`
			User           struct{ Username string } `json:"user"`
			ResponseStatus struct{ Code int }        `json:"responseStatus"`
		}
		err = json.Unmarshal(lines.Bytes(), &event)
		if err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		if event.User.Username == user {
			writes = append(writes, Write{user, event.Verb, event.RequestURI, event.ResponseStatus.Code})
		}
	}
	return writes, lines.Err()
}
