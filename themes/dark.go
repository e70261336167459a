package themes

// Dark is for dark backgrounds. Its colours are of the 256 that terminals
// share, so nothing shifts where there are no more.
func Dark() Theme { return of("dark", true, darkPalette()) }

func darkPalette() palette {
	return palette{
		back: "#262626",
		text: "#d0d0d0", dim: "#9e9e9e", strong: "#ffffff", accent: "#87d7ff",
		ok: "#87d787", warn: "#ffd75f", bad: "#ff8787", unknown: "#d7afff",
		selected: "#ffffff", selectedBack: "#005f87",
		match: "#000000", matchBack: "#ffd75f",
		prodText: "#000000", prodBack: "#ff8787",
		badgeText: "#000000", badgeBack: "#87d7ff",
		barUsed: "#87d7ff", barRequested: "#ffd75f", barFree: "#9e9e9e",
	}
}
