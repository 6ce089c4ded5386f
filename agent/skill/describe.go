package skill

import (
	"fmt"
	"strings"
)

// Describe is what a skill with these files is and asks for, in lines.
func (s Skill) Describe(files []string) string {
	tools := "it names none, so it may call what any task may"
	if s.Tools != nil {
		tools = "only " + strings.Join(s.Tools, ", ")
		if len(s.Tools) == 0 {
			tools = "none"
		}
	}
	text := fmt.Sprintf("%s %s\n%s\n\ntools: %s", s.Name, s.Version, s.Description, tools)
	if len(s.Tags) > 0 {
		text += "\ntags:  " + strings.Join(s.Tags, ", ")
	}
	if len(files) > 0 {
		text += "\nfiles: " + strings.Join(files, ", ")
	}
	return text
}
