package snapshot

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// apiType tells the structs of the API from what they are made of.
func apiType(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !leaves[t] && strings.HasPrefix(t.PkgPath(), "k8s.io/api")
}

// reach calls see with each struct that keptfields.txt lets through below t.
func reach(t reflect.Type, see func(reflect.Type)) {
	switch {
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Map:
		reach(t.Elem(), see)
	case apiType(t):
		see(t)
	}
}

// reachable are all of them, from the kinds of a file on.
func reachable() map[string]reflect.Type {
	found := map[string]reflect.Type{}
	var see func(reflect.Type)
	see = func(t reflect.Type) {
		if found[typeName(t)] != nil {
			return
		}
		found[typeName(t)] = t
		for field := range t.Fields() {
			if _, listed := allowed[typeName(t)][field.Name]; listed {
				reach(field.Type, see)
			}
		}
	}
	for _, k := range kinds {
		reach(reflect.TypeOf(k.object), see)
	}
	return found
}

func TestTheListOfFieldsIsThatOfTheAPI(t *testing.T) {
	found := reachable()
	if os.Getenv("UPDATE") != "" {
		var lines []string
		for line := range strings.Lines(fieldList) {
			if found[strings.Fields(line)[0]] != nil {
				lines = append(lines, strings.TrimSpace(line)+"\n")
			}
		}
		if err := os.WriteFile("keptfields.txt", []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, of := range found {
		fields, listed := allowed[name]
		if !listed {
			t.Errorf("keptfields.txt lets %s through and does not say which of its fields", name)
		}
		for field := range fields {
			if _, there := of.FieldByName(field); !there {
				t.Errorf("%s has no field %s", name, field)
			}
		}
	}
	for name := range allowed {
		if found[name] == nil {
			t.Errorf("%s is in keptfields.txt, and no object of a file has one", name)
		}
	}
}

// What could carry a secret is left out whatever else is kept.
func TestWhatMayHoldSecretsIsNotListed(t *testing.T) {
	for name, fields := range allowed {
		for field, asked := range fields {
			words := strings.ToLower(name + "." + field)
			for _, word := range []string{"secretref", "attributes", "parameters", "options", "keyring", "managedfields", "opaque", "imagepull", "data"} {
				of := strings.ToLower(field)
				if asked == "" && strings.Contains(of, word) && !slices.Contains(harmless, words) {
					t.Errorf("%s.%s is kept", name, field)
				}
			}
		}
	}
}

// harmless are fields whose names only sound like it.
var harmless = []string{
	"resource.device.attributes", // of hardware, which selectors ask for
	"core.volumemount.bindmountoptions",
	"core.azurediskvolumesource.datadiskuri",
	"resource.exactdevicerequest.derivedattributes", "resource.devicesubrequest.derivedattributes",
	"core.envfromsource.secretref", // a name, and in a file only with --keep env
	"core.persistentvolumespec.volumeattributesclassname", "core.persistentvolumeclaimspec.volumeattributesclassname",
	"core.persistentvolumeclaimstatus.currentvolumeattributesclassname", "core.modifyvolumestatus.targetvolumeattributesclassname",
	"core.persistentvolumeclaimspec.datasource", "core.persistentvolumeclaimspec.datasourceref",
}
