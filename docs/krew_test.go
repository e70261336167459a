package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/yaml"
)

// krewManifest is what krew reads of a plugin's manifest, apiVersion v1alpha2.
type krewManifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version          string         `json:"version"`
		Homepage         string         `json:"homepage"`
		ShortDescription string         `json:"shortDescription"`
		Description      string         `json:"description"`
		Caveats          string         `json:"caveats"`
		Platforms        []krewPlatform `json:"platforms"`
	} `json:"spec"`
}

// krewPlatform is the archive of one operating system and architecture.
type krewPlatform struct {
	Selector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"selector"`
	URI    string `json:"uri"`
	SHA256 string `json:"sha256"`
	Bin    string `json:"bin"`
}

// releaseConfig is what names the archives in .goreleaser.yaml.
type releaseConfig struct {
	ProjectName string `json:"project_name"`
	Builds      []struct {
		Binary string   `json:"binary"`
		GOOS   []string `json:"goos"`
		GOARCH []string `json:"goarch"`
	} `json:"builds"`
	Archives []struct {
		NameTemplate    string `json:"name_template"`
		FormatOverrides []struct {
			GOOS    string   `json:"goos"`
			Formats []string `json:"formats"`
		} `json:"format_overrides"`
	} `json:"archives"`
}

// krewTag is the made-up tag of the manifest that is tested where there is no release.
const krewTag = "v1.2.3"

// rendered is krew's manifest of a release with its tag and the checksums of its files: of the one in
// the directory that the environment variable FATHOM_RELEASE names (.ci/release-test sets it), else of a
// made-up one.
func rendered(t *testing.T) (m krewManifest, tag string, sums map[string]string) {
	t.Helper()
	if dir := os.Getenv("FATHOM_RELEASE"); dir != "" {
		text := read(t, filepath.Join(dir, "fathom.yaml"))
		sums = map[string]string{}
		for line := range strings.Lines(read(t, filepath.Join(dir, "checksums.txt"))) {
			if sum, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
				sums[name] = sum
			}
		}
		if err := yaml.UnmarshalStrict([]byte(text), &m); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return m, m.Spec.Version, sums
	}
	sums = krewSums(t)
	text, err := krewScript(t, sums)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &m); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m, krewTag, sums
}

// archives are those that a release of a tag has, by platform.
func archives(t *testing.T, tag string) map[string]string {
	t.Helper()
	var config releaseConfig
	if err := yaml.Unmarshal([]byte(read(t, "../.goreleaser.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, system := range config.Builds[0].GOOS {
		for _, arch := range config.Builds[0].GOARCH {
			format := "tar.gz"
			if other := config.Archives[0].FormatOverrides[0]; other.GOOS == system {
				format = other.Formats[0]
			}
			name := strings.NewReplacer("{{ .ProjectName }}", config.ProjectName, "v{{ .Version }}", tag, "{{ .Os }}", system, "{{ .Arch }}", arch).
				Replace(config.Archives[0].NameTemplate)
			named[system+"/"+arch] = name + "." + format
		}
	}
	return named
}

// krewScript runs .ci/krew with the checksums of some archives.
func krewScript(t *testing.T, sums map[string]string) ([]byte, error) {
	t.Helper()
	var lines strings.Builder
	for name, sum := range sums {
		fmt.Fprintf(&lines, "%s  %s\n", sum, name)
	}
	file := filepath.Join(t.TempDir(), "checksums.txt")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "../.ci/krew", krewTag, file).Output()
}

// krewSums are made-up checksums of a release's archives.
func krewSums(t *testing.T) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for _, name := range archives(t, krewTag) {
		sums[name] = fmt.Sprintf("%064x", len(sums)+1)
	}
	return sums
}

// The rules are those of krew's validation and of its guide for plugins.
func TestKrewsManifestFollowsKrewsRules(t *testing.T) {
	m, tag, _ := rendered(t)
	spec := m.Spec
	if m.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || m.Kind != "Plugin" {
		t.Errorf("is a %s of %s", m.Kind, m.APIVersion)
	}
	if m.Metadata.Name != "fathom" || !regexp.MustCompile(`^[\w-]+$`).MatchString(m.Metadata.Name) {
		t.Errorf("is named %q", m.Metadata.Name)
	}
	if _, err := version.ParseSemantic(spec.Version); err != nil || spec.Version != tag {
		t.Errorf("version %q: %v", spec.Version, err)
	}
	const longest = 50
	if n := utf8.RuneCountInString(spec.ShortDescription); n == 0 || n > longest || strings.ContainsAny(spec.ShortDescription, "\r\n") || strings.HasSuffix(spec.ShortDescription, ".") {
		t.Errorf("short description of %d characters: %q", n, spec.ShortDescription)
	}
	if spec.Homepage == "" || spec.Description == "" {
		t.Error("no homepage or description")
	}
	for _, about := range []string{"ClusterRole", "kubectl_complete-fathom"} {
		if !strings.Contains(spec.Caveats, about) {
			t.Errorf("the caveats do not name %s:\n%s", about, spec.Caveats)
		}
	}
}

func TestKrewsManifestHasEachArchiveOfARelease(t *testing.T) {
	m, tag, sums := rendered(t)
	want := archives(t, tag)
	for _, platform := range m.Spec.Platforms {
		on := platform.Selector.MatchLabels
		if len(on) != 2 {
			t.Errorf("selects by %v, want os and arch", on)
		}
		key := on["os"] + "/" + on["arch"]
		name := want[key]
		if name == "" {
			t.Errorf("%s has no archive, or stands twice", key)
			continue
		}
		delete(want, key)
		if !strings.HasSuffix(platform.URI, "/releases/download/"+tag+"/"+name) {
			t.Errorf("%s: %s, want %s", key, platform.URI, name)
		}
		if platform.SHA256 != sums[name] || !regexp.MustCompile(`^[a-f0-9]{64}$`).MatchString(platform.SHA256) {
			t.Errorf("%s: sha256 %q, want %q", key, platform.SHA256, sums[name])
		}
		program := "kubectl-fathom"
		if on["os"] == "windows" {
			program += ".exe"
		}
		if platform.Bin != program {
			t.Errorf("%s: runs %q, want %q", key, platform.Bin, program)
		}
	}
	if len(want) > 0 {
		t.Errorf("lacks %v", want)
	}
}

// A manifest with a platform left out, or with no checksum, would be installed as it is.
func TestKrewsManifestNeedsEveryChecksum(t *testing.T) {
	for _, name := range archives(t, krewTag) {
		sums := krewSums(t)
		delete(sums, name)
		if text, err := krewScript(t, sums); err == nil {
			t.Errorf("a manifest without the checksum of %s:\n%s", name, text)
		}
	}
}
