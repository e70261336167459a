package themes

// Light is for light backgrounds.
func Light() Theme { return of("light", false, lightPalette()) }

func lightPalette() palette {
	return palette{
		back: "#eeeeee",
		text: "#303030", dim: "#585858", strong: "#000000", accent: "#005f87",
		ok: "#005f00", warn: "#875f00", bad: "#af0000", unknown: "#5f00af",
		selected: "#ffffff", selectedBack: "#005f87",
		match: "#000000", matchBack: "#ffd75f",
		prodText: "#ffffff", prodBack: "#af0000",
		badgeText: "#ffffff", badgeBack: "#005f87",
		barUsed: "#005f87", barRequested: "#875f00", barFree: "#585858",
	}
}
