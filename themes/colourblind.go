package themes

// ColourBlind tells ok, warn and bad apart by blue, yellow and lightness, which
// deuteranopia and protanopia leave alone.
func ColourBlind(dark bool) Theme { return of("color-blind", dark, colourBlindPalette(dark)) }

func colourBlindPalette(dark bool) palette {
	p := palette{
		back: "#eeeeee",
		text: "#303030", dim: "#585858", strong: "#000000", accent: "#005f87",
		ok: "#0000d7", warn: "#875f00", bad: "#5f0000", unknown: "#5f5f5f",
		selected: "#ffffff", selectedBack: "#00005f",
		match: "#000000", matchBack: "#ffd75f",
		prodText: "#ffffff", prodBack: "#5f0000",
		badgeText: "#ffffff", badgeBack: "#005f87",
		barUsed: "#0000d7", barRequested: "#875f00", barFree: "#585858",
	}
	if dark {
		p = palette{
			back: "#262626",
			text: "#d0d0d0", dim: "#9e9e9e", strong: "#ffffff", accent: "#afd7ff",
			ok: "#5fafff", warn: "#ffff87", bad: "#d78700", unknown: "#bcbcbc",
			selected: "#ffffff", selectedBack: "#005f87",
			match: "#000000", matchBack: "#ffff87",
			prodText: "#000000", prodBack: "#d78700",
			badgeText: "#000000", badgeBack: "#afd7ff",
			barUsed: "#5fafff", barRequested: "#ffff87", barFree: "#9e9e9e",
		}
	}
	return p
}
