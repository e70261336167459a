// Package warm is temporary.
package warm

import (
	_ "charm.land/bubbles/v2/textinput"
	_ "charm.land/bubbles/v2/viewport"
	_ "charm.land/bubbletea/v2"
	_ "charm.land/lipgloss/v2"
	_ "github.com/adrg/xdg"
	_ "github.com/charmbracelet/colorprofile"
	_ "github.com/charmbracelet/x/ansi"
	_ "github.com/sahilm/fuzzy"
	_ "github.com/spf13/cobra"
	_ "k8s.io/cli-runtime/pkg/genericclioptions"
	_ "k8s.io/cli-runtime/pkg/resource"
	_ "k8s.io/client-go/kubernetes/fake"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	_ "k8s.io/kubectl/pkg/describe"
	_ "k8s.io/kubectl/pkg/drain"
	_ "k8s.io/kubernetes/pkg/scheduler"
	_ "k8s.io/metrics/pkg/client/clientset/versioned"
	_ "k8s.io/component-helpers/resource"
	_ "k8s.io/kubernetes/pkg/apis/core/v1"
	_ "k8s.io/kubernetes/pkg/printers/internalversion"
)
