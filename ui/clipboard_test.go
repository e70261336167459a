package ui

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestCopyTakesNothingThatATerminalOrAShellWouldObey(t *testing.T) {
	prod := newProdEU()
	prod.pods = []*corev1.Pod{pod("zz", "red\x1b[31m\r\nrm -rf ~\n\x07\u202e", "1", "1Gi", 0)}
	app := newTestApp(t, 80, 24, prod.snapshot())
	press(t, app, "2")
	_, cmd := app.Update(keyPress("C"))
	if got, want := clipboardOf(cmd), "zz/red  rm -rf ~ "; got != want {
		t.Errorf("copied the name %q, not %q", got, want)
	}
	fixes := checkoutFixes()
	fixes.Tried[0].Command = "kubectl cordon \x1b]52;c;eA==\x07a \u200b&&\nkubectl drain a\n"
	app, _, _ = fixesOn(t, 80, 24, fixes, nil)
	_, cmd = app.Update(keyPress("C"))
	if got, want := clipboardOf(cmd), "kubectl cordon a &&\nkubectl drain a"; got != want {
		t.Errorf("copied the command %q, not %q", got, want)
	}
}
