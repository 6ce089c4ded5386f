package themes

// Auto is the name that stands for "dark" or "light", as the terminal's ground
// wants it, and for the default theme where that is not known.
const Auto = "auto"

// Ground is what the terminal's text stands on.
type Ground int

// The grounds. A terminal that does not say has none.
const (
	UnknownGround Ground = iota
	DarkGround
	LightGround
)

// GroundOf is the ground of a terminal that has said which it is.
func GroundOf(light bool) Ground {
	if light {
		return LightGround
	}
	return DarkGround
}

// FollowsGround reports whether a theme's look depends on the terminal's ground.
func FollowsGround(name string) bool { return name == "" || name == DefaultName || name == Auto }

// On is the embedded theme that a name stands for on a ground.
func On(name string, g Ground) string {
	switch {
	case !FollowsGround(name):
		return name
	case name == Auto && g == DarkGround:
		return "dark"
	case name == Auto && g == LightGround:
		return "light"
	case g == LightGround:
		return DefaultName + "-light"
	}
	return DefaultName
}
