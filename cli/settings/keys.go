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

// Keys are keys of a user's own, by the name of the action.
type Keys map[string]ActionKeys

// ActionKeys are the keys of an action beside the built-in ones, or with only in place of them.
type ActionKeys struct {
	More KeyList
	Only KeyList
}

// UnmarshalJSON takes a text, a list of texts, or either under the name only.
func (k *ActionKeys) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return k.More.UnmarshalJSON(text)
	}
	only, ok := fields["only"]
	if !ok || len(fields) > 1 {
		return errKeys
	}
	if err := k.Only.UnmarshalJSON(only); err != nil {
		return err
	}
	if len(k.Only) == 0 {
		return errKeys
	}
	return nil
}

// KeyList is one key, or a list of keys.
type KeyList []string

// errKeys says what the keys of an action may be.
var errKeys = errors.New("write a key, such as f5, or a list of keys, such as [f5, alt+e]; in place of the built-in ones {only: f5}")

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
// mean something else already. A built-in key that its action gives up may be another's.
func (k Keys) judge(d *document) {
	built, taken := k.givenUp(), map[string]string{}
	for _, action := range slices.Sorted(maps.Keys(k)) {
		path := join("keys", action)
		if _, ok := keymap.Named(action); !ok {
			d.unknown("keys", action, "action", keymap.Names())
			continue
		}
		at := path
		if len(k[action].Only) > 0 {
			at = join(path, "only")
		}
		for i, key := range k[action].own().Keys {
			if wrong := wrongKey(key, taken, built); wrong != "" {
				d.wrongAt(d.line(item(at, i)), path, wrong)
				continue
			}
			taken[key] = action
		}
	}
}

// givenUp is the built-in key map without the actions that have only keys of their own.
func (k Keys) givenUp() keymap.Map {
	given := map[keymap.Action]bool{}
	for name, keys := range k {
		if action, ok := keymap.Named(name); ok {
			given[action] = len(keys.Only) > 0
		}
	}
	return slices.DeleteFunc(slices.Clone(keymap.Default()), func(b keymap.Binding) bool { return given[b.Do] })
}

// wrongKey says why a key cannot be given to an action; "" if it can. taken are the keys of others, built
// is the key map without those that their actions give up.
func wrongKey(key string, taken map[string]string, built keymap.Map) string {
	if other, twice := taken[key]; twice {
		return "the key " + key + " is that of " + other + " already"
	}
	if err := built.CheckKey(key); err != nil {
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
	own := map[keymap.Action]keymap.Own{}
	for name, keys := range k {
		if action, ok := keymap.Named(name); ok {
			own[action] = keys.own()
		}
	}
	return keymap.Default().With(own)
}

// own are the keys as the key map takes them.
func (k ActionKeys) own() keymap.Own {
	if len(k.Only) > 0 {
		return keymap.Own{Keys: k.Only, Only: true}
	}
	return keymap.Own{Keys: k.More}
}
