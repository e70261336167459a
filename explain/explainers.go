package explain

// explainers has one entry for each plugin whose reason leaves out names or
// numbers, by the plugin's name in the profile. For the others the plugin's own
// reason stands.
var explainers = map[string]explainer{}
