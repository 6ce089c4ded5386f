package guide

import (
	"fmt"
	"strings"
)

// container is one line of docker ps with our format.
type container struct{ name, image, status string }

func parseContainers(o outcome) []container {
	var list []container
	for _, line := range o.lines() {
		if f := strings.SplitN(line, "|", 3); len(f) == 3 {
			list = append(list, container{f[0], f[1], strings.TrimSpace(f[2])})
		}
	}
	return list
}

func reportContainers(f found) string {
	engine := "Docker"
	o, ok := f.get("docker")
	if !ok {
		engine = "Podman"
		o, ok = f.get("podman")
	}
	if !ok {
		return ""
	}
	all := parseContainers(o)
	if len(all) == 0 {
		return engine + " has no containers."
	}
	var up, down, ill []string
	for _, c := range all {
		item := fmt.Sprintf("%s (%s, %s)", code(c.name), code(c.image), lowerFirst(c.status))
		switch {
		case strings.Contains(c.status, "unhealthy"), strings.HasPrefix(c.status, "Restarting"):
			ill = append(ill, item)
		case strings.HasPrefix(c.status, "Up"):
			up = append(up, item)
		default:
			down = append(down, item)
		}
	}
	parts := []string{fmt.Sprintf("%s has **%s**.", engine, count(len(all), "container"))}
	if len(ill) > 0 {
		parts = append(parts, "**In trouble**: "+series(ill)+".")
	}
	if len(up) > 0 {
		parts = append(parts, "Running: "+series(up)+".")
	}
	if len(down) > 0 {
		parts = append(parts, "Not running: "+series(down)+".")
	}
	return paragraph(parts)
}
