package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// Keys are more keys of actions, by the name of the action.
type Keys map[string]KeyList

// KeyList is one key, or a list of keys.
type KeyList []string

// errKeys says what the keys of an action may be.
var errKeys = errors.New("write a key, such as f5, or a list of keys, such as [f5, alt+e]")

// errBool says why a key may not be true or false, errNumber why not a number.
var (
	errBool   = errors.New(`YAML reads y, n, on, off, yes and no as true or false: write the key in quotes, as in "y"`)
	errNumber = errors.New(`YAML reads a digit as a number: write the key in quotes, as in "5"`)
)

// UnmarshalJSON takes a text or a list of texts.
func (k *KeyList) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*k = KeyList{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		wrong := new(json.UnmarshalTypeError)
		switch errors.As(err, &wrong); {
		case wrong.Value == "bool":
			return errBool
		case strings.HasPrefix(wrong.Value, "number"):
			return errNumber
		}
		return errKeys
	}
	*k = list
	return nil
}

// sent are keys for which most terminals send what they send for another key.
var sent = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc"}

// judge notes what is wrong with keys: those of no action, of no terminal, and those that
// mean something else already.
func (k Keys) judge(d *document) {
	taken := map[string]string{}
	for _, action := range slices.Sorted(maps.Keys(k)) {
		path := join("keys", action)
		if _, ok := keymap.Named(action); !ok {
			d.unknown("keys", action, "action", keymap.Names())
			continue
		}
		for i, key := range k[action] {
			if wrong := wrongKey(key, taken); wrong != "" {
				d.wrongAt(d.line(item(path, i)), path, wrong)
				continue
			}
			taken[key] = action
		}
	}
}

// wrongKey says why a key cannot be given to an action; "" if it can. taken are the keys of others.
func wrongKey(key string, taken map[string]string) string {
	if other, twice := taken[key]; twice {
		return "the key " + key + " is that of " + other + " already"
	}
	if err := keymap.CheckKey(key); err != nil {
		return err.Error()
	}
	alt, plain := "", strings.Replace(key, "alt+", "", 1)
	if plain != key {
		alt = "alt+"
	}
	if other := sent[plain]; other != "" {
		return fmt.Sprintf("%s is %s in most terminals: choose another key", key, alt+other)
	}
	return ""
}

// Map is the key map with these keys.
func (k Keys) Map() keymap.Map {
	more := map[keymap.Action][]string{}
	for name, keys := range k {
		if action, ok := keymap.Named(name); ok {
			more[action] = keys
		}
	}
	return keymap.Default().With(more)
}
