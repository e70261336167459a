package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Contexts are those of the kubeconfig that a setting is for. The zero value is
// for none.
type Contexts struct {
	all      bool
	patterns []string // as model.MatchContext takes them
}

// errContexts says what a setting of contexts may be.
var errContexts = errors.New(`readonly takes true (every context), false (none), a pattern of context names or a list of patterns, such as [prod-*, live]`)

// UnmarshalJSON takes true, false, a pattern or a list of patterns, and nothing else:
// a value that is misread would protect nothing. The texts "true" and "false" count as
// the values that they name; in a list they are refused, for no context is called so.
func (c *Contexts) UnmarshalJSON(text []byte) error {
	*c = Contexts{}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	switch value := value.(type) {
	case bool:
		c.all = value
		return nil
	case string:
		if is, ok := isBool(value); ok {
			c.all = is
			return nil
		}
		c.patterns = []string{value}
	case []any:
		for _, item := range value {
			pattern, ok := item.(string)
			if _, word := isBool(pattern); !ok || word {
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

// isBool reports whether a text says true or false, and which.
func isBool(text string) (is, ok bool) {
	word := strings.ToLower(strings.TrimSpace(text))
	return word == "true", word == "true" || word == "false"
}

// judge notes the patterns that are none.
func (c *Contexts) judge(d *document) {
	for i, pattern := range c.patterns {
		if err := model.CheckPattern(pattern); err != nil {
			d.wrongAt(d.line(item("readonly", i)), "readonly", fmt.Sprintf("%q: %v", pattern, err))
		}
	}
}

// judgeIdle notes the patterns that match none of the contexts: they protect nothing.
func (c *Contexts) judgeIdle(d *document, contexts []string) {
	if len(contexts) == 0 {
		return
	}
	idle := c.idle(contexts)
	for i, pattern := range c.patterns {
		if slices.Contains(idle, pattern) && model.CheckPattern(pattern) == nil {
			d.wrongAt(d.line(item("readonly", i)), "readonly",
				fmt.Sprintf("no context of the kubeconfig matches %q, so it protects nothing: write true, false or names of contexts", pattern))
		}
	}
}

// Because is the part of the setting that matches a context, as in the file; "" if none
// does.
func (c *Contexts) Because(context string) string {
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
func (c *Contexts) idle(names []string) []string {
	var idle []string
	for _, pattern := range c.patterns {
		if !slices.ContainsFunc(names, func(name string) bool { return model.MatchContext(pattern, name) }) {
			idle = append(idle, pattern)
		}
	}
	return idle
}

// Idle says which patterns match none of the kubeconfig's contexts; nil where
// each does. opened is the context in use: in a pod it is in no kubeconfig.
func (s *Settings) Idle(all []model.Context, opened string) error {
	names := []string{opened}
	for _, context := range all {
		names = append(names, context.Name)
	}
	var says []string
	if idle := s.ReadOnly.idle(names); len(idle) > 0 {
		says = append(says, fmt.Sprintf("readonly: no context of the kubeconfig matches %s, so it protects nothing", quoted(idle)))
	}
	matched := slices.ContainsFunc(names, func(name string) bool { return model.MatchProduction(s.Production, name) })
	if s.Production != production && !matched {
		says = append(says, fmt.Sprintf("production: no context of the kubeconfig matches %q", s.Production))
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
