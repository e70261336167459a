package model

import (
	"path"
	"strings"
)

// ShortContext is how a context is named where space is short: by the last part
// of its name after / or _, if none of the others has the same.
func ShortContext(name string, all []Context) string {
	short := lastPart(name)
	for _, c := range all {
		if c.Name != name && lastPart(c.Name) == short {
			return name
		}
	}
	return short
}

// lastPart is what stands after the last / or _ of a context's name.
func lastPart(name string) string {
	if at := strings.LastIndexAny(name, "/_"); at >= 0 && at < len(name)-1 {
		return name[at+1:]
	}
	return name
}

// MatchContext reports whether a context's name, whole or its last part, is as the
// pattern says: * is any text, ? any character, [ab] one of these. The pattern ""
// matches none, and nor does one that is wrong.
func MatchContext(pattern, name string) bool {
	for _, is := range []string{name, lastPart(name)} {
		match, err := path.Match(strings.ReplaceAll(pattern, "/", "_"), strings.ReplaceAll(is, "/", "_"))
		if err == nil && match && pattern != "" {
			return true
		}
	}
	return false
}

// MatchProduction is MatchContext without regard to capital letters: a context that is taken
// for no production context protects nothing.
func MatchProduction(pattern, name string) bool {
	return MatchContext(strings.ToLower(pattern), strings.ToLower(name))
}

// CheckPattern says what is wrong with a pattern of contexts.
func CheckPattern(pattern string) error {
	_, err := path.Match(pattern, "")
	return err
}
