package keys

import (
	"fmt"
	"strings"
)

// UnknownError is the error of Parse for a word that is no command.
type UnknownError struct {
	Word    string
	Nearest string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown command /%s: did you mean /%s?", e.Word, e.Nearest)
}

// IsCommand reports whether a prompt is a slash command: one line that begins
// with a slash and a letter, and is no path.
func IsCommand(line string) bool {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != '/' || strings.ContainsRune(line, '\n') {
		return false
	}
	word, _, _ := strings.Cut(line[1:], " ")
	for _, r := range word {
		if (r < 'a' || r > 'z') && r != '-' {
			return false
		}
	}
	return true
}

// OwnCommand is the command that the operator gives himself by a prompt such as
// "!uptime".
func OwnCommand(prompt string) (command string, ok bool) {
	command, ok = strings.CutPrefix(prompt, "!")
	return command, ok && strings.TrimSpace(command) != ""
}

// Parse takes one of nod's own slash commands apart. The error is an *UnknownError.
func Parse(line string) (c Command, args string, err error) { return parse(standard, line) }

func parse(commands []Command, line string) (c Command, args string, err error) {
	word, args, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "/"), " ")
	best, distance := "", 1<<30
	for _, c := range commands {
		if c.Slash == "" {
			continue
		}
		if c.Slash == word {
			return c, strings.TrimSpace(args), nil
		}
		if d := edits(word, c.Slash); d < distance {
			best, distance = c.Slash, d
		}
	}
	return Command{}, "", &UnknownError{Word: word, Nearest: best}
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
