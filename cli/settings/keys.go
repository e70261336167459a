package settings

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// Keys are more keys of actions, by the name of the action.
type Keys map[string]KeyList

// KeyList is one key, or a list of keys.
type KeyList []string

// errKeys says what the keys of an action may be.
var errKeys = errors.New("write a key, such as f5, or a list of keys, such as [f5, alt+e]")

// UnmarshalJSON takes a text, a digit or a list of these.
func (k *KeyList) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*k = KeyList{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return errKeys
	}
	*k = list
	return nil
}

// judge notes what is wrong with keys: those of no action, of no terminal, and those that
// mean something else already.
func (k Keys) judge(d *document) {
	taken := map[string]string{}
	for _, action := range slices.Sorted(maps.Keys(k)) {
		path := join("keys", action)
		if _, ok := keymap.Named(action); !ok {
			d.unknown(path, "action", keymap.Names())
			continue
		}
		for _, key := range k[action] {
			switch other, twice := taken[key]; {
			case twice:
				d.wrong(path, "the key "+key+" is that of "+other+" already")
			default:
				taken[key] = action
				if err := keymap.CheckKey(key); err != nil {
					d.wrong(path, err.Error())
				}
			}
		}
	}
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
