package settings

import (
	"encoding/json"
	"errors"
	"fmt"
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

// errBool says why a key may not be true or false.
var errBool = errors.New(`YAML reads y, n, on, off, yes and no as true or false: write the key in quotes, as in "y"`)

// UnmarshalJSON takes a mapping of names to keys; an error names the action.
func (k *Keys) UnmarshalJSON(text []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*k = Keys{}
	for _, action := range slices.Sorted(maps.Keys(all)) {
		var list KeyList
		if err := list.UnmarshalJSON(all[action]); err != nil {
			return fmt.Errorf("%s: %w", action, err)
		}
		(*k)[action] = list
	}
	return nil
}

// UnmarshalJSON takes a text, a digit or a list of these.
func (k *KeyList) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*k = KeyList{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) && wrong.Value == "bool" {
			return errBool
		}
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
