package ui

import "testing"

func TestPending(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	requireScreen(t, app)
}

func TestPods(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "2")
	requireScreen(t, app)
}

func TestNodes(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3")
	requireScreen(t, app)
}
