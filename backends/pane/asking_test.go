package pane

import "testing"

func TestQuestionsAreToldFromProgress(t *testing.T) {
	for line, want := range map[string]bool{
		"Password:":                true,
		"[sudo] password for ops:": true,
		"ops@web-1's password:":    true,
		"Are you sure you want to continue connecting (yes/no/[fingerprint])?": true,
		">>>":                             true,
		"...>":                            true,
		"db=#":                            true,
		"db=>":                            true,
		"MariaDB [(none)]>":               true,
		"sqlite>":                         true,
		"(gdb)":                           true,
		"Do you want to continue? [Y/n]":  true,
		"overwrite (y/n)":                 true,
		"--More--(12%)":                   true,
		"Press any key to continue . . .": true,
		"root@web-1:~#":                   true,

		"building...":                  false,
		"Reading package lists... 45%": false,
		"45% [=====>":                  false,
		"[====>     ] 45%":             false,
		"#########   45.2%":            false,
		"##########":                   false,
		"12 of 40 (done)":              false,
		"Get:1 http://deb [1,234 B]":   false,
		"":                             false,
	} {
		if got := looksLikeQuestion(line); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}
