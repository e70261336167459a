package snapshot

import (
	"net/url"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// configurationFields are those of a KubeSchedulerConfiguration that explanations
// use. Certificates and keys of extenders are not among them.
var configurationFields, extenderFields = []string{
	"apiVersion", "kind", "profiles", "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds", "parallelism", "leaderElection",
}, []string{
	"urlPrefix", "filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb", "weight", "enableHTTPS", "httpTimeout",
	"nodeCacheCapable", "managedResources", "ignorable",
}

// scrubbedConfiguration is what of the scheduler's configuration goes into a
// file; nil where there is none, or none that can be read.
func scrubbedConfiguration(c *scheduler.Configuration) *Configuration {
	if c == nil {
		return nil
	}
	var whole map[string]any
	if err := yaml.Unmarshal(c.Data, &whole); err != nil {
		return nil
	}
	some := only(whole, configurationFields)
	if all, ok := whole["extenders"].([]any); ok {
		var extenders []any
		for _, one := range all {
			if fields, ok := one.(map[string]any); ok {
				extender := only(fields, extenderFields)
				extender["urlPrefix"] = withoutUser(extender["urlPrefix"])
				extenders = append(extenders, extender)
			}
		}
		some["extenders"] = extenders
	}
	scrubProfiles(some)
	text, err := escaped.YAML(some)
	if err != nil {
		return nil
	}
	return &Configuration{Source: c.Source, Data: string(text)}
}

func only(all map[string]any, names []string) map[string]any {
	some := map[string]any{}
	for _, name := range names {
		if value, ok := all[name]; ok {
			some[name] = value
		}
	}
	return some
}

// withoutUser is a URL without a name and a password in it.
func withoutUser(text any) any {
	prefix, _ := text.(string)
	parsed, err := url.Parse(prefix)
	if err != nil {
		return ""
	}
	parsed.User = nil
	return parsed.String()
}

// scrubProfiles takes out the arguments of plugins that kube-scheduler does not
// come with: what is in them nobody knows, and nobody reads them here.
func scrubProfiles(configuration map[string]any) {
	profiles, _ := configuration["profiles"].([]any)
	for _, one := range profiles {
		profile, ok := one.(map[string]any)
		if !ok {
			continue
		}
		all, _ := profile["pluginConfig"].([]any)
		var known []any
		for _, of := range all {
			if fields, ok := of.(map[string]any); ok && scheduler.InTree(fields["name"]) {
				known = append(known, only(fields, []string{"name", "args"}))
			}
		}
		delete(profile, "pluginConfig")
		if known != nil {
			profile["pluginConfig"] = known
		}
	}
}
