package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// contexts are those of the kubeconfig that a setting is for. The zero value is
// for none.
type contexts struct {
	all      bool
	patterns []string // as model.MatchContext takes them
}

// errContexts says what a setting of contexts may be.
var errContexts = errors.New(`readonly takes true (every context), false (none), a pattern of context names or a list of patterns, such as [prod-*, live]`)

// UnmarshalJSON takes true, false, a pattern or a list of patterns, and nothing else:
// a value that is misread would protect nothing. The texts "true" and "false" count as
// the values that they name.
func (c *contexts) UnmarshalJSON(text []byte) error {
	*c = contexts{}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	switch value := value.(type) {
	case bool:
		c.all = value
		return nil
	case string:
		if word := strings.ToLower(value); word == "true" || word == "false" {
			c.all = word == "true"
			return nil
		}
		c.patterns = []string{value}
	case []any:
		for _, item := range value {
			pattern, ok := item.(string)
			if !ok {
				return errContexts
			}
			c.patterns = append(c.patterns, pattern)
		}
	default:
		return errContexts
	}
	if slices.Contains(c.patterns, "") {
		return fmt.Errorf("%w; an empty pattern matches nothing", errContexts)
	}
	return nil
}

// check says what is wrong with a pattern.
func (c *contexts) check() error {
	for _, pattern := range c.patterns {
		if err := model.CheckPattern(pattern); err != nil {
			return fmt.Errorf("%q: %w", pattern, err)
		}
	}
	return nil
}

// because is what of the setting takes a context in, as the file words it; "" where
// nothing does.
func (c *contexts) because(context string) string {
	if c.all {
		return "true"
	}
	for _, pattern := range c.patterns {
		if model.MatchContext(pattern, context) {
			return pattern
		}
	}
	return ""
}

// idle are the patterns that match none of the names.
func (c *contexts) idle(names []string) []string {
	var idle []string
	for _, pattern := range c.patterns {
		if !slices.ContainsFunc(names, func(name string) bool { return model.MatchContext(pattern, name) }) {
			idle = append(idle, pattern)
		}
	}
	return idle
}

// idlePatterns says which patterns of the configuration file match no context of the
// kubeconfig; nil where each does. opened is the context in use: in a pod it is in no
// kubeconfig.
func (a *app) idlePatterns(settings *settings, opened string) error {
	all, err := client.Contexts(a.flags)
	if err != nil {
		return nil // it was read before
	}
	names := []string{opened}
	for _, context := range all {
		names = append(names, context.Name)
	}
	var says []string
	if idle := settings.ReadOnly.idle(names); len(idle) > 0 {
		says = append(says, fmt.Sprintf("readonly: no context of the kubeconfig matches %s, so nothing is protected by it", quoted(idle)))
	}
	if set := (contexts{patterns: []string{settings.Production}}); settings.Production != production && len(set.idle(names)) > 0 {
		says = append(says, fmt.Sprintf("production: no context of the kubeconfig matches %s", quoted(set.patterns)))
	}
	if len(says) == 0 {
		return nil
	}
	return errors.New("config.yaml: " + strings.Join(says, "; "))
}

// quoted lists patterns, for messages.
func quoted(patterns []string) string {
	list := make([]string, 0, len(patterns))
	for _, pattern := range patterns {
		list = append(list, strconv.Quote(pattern))
	}
	return strings.Join(list, ", ")
}

// sayIdle says it on standard error.
func (a *app) sayIdle(settings *settings, client *client.Client) {
	if err := a.idlePatterns(settings, client.Context()); err != nil {
		say(a.stderr, a.name, err)
	}
}
