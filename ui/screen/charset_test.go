package screen_test

import (
	"errors"
	"testing"

	"github.com/nod-console/nod/ui/screen"
)

func TestCharset(t *testing.T) {
	type env map[string]string
	for _, c := range []struct {
		env   env
		wrong string // the variable that is complained of
	}{
		{env{}, ""},
		{env{"LANG": "C"}, ""},
		{env{"LC_ALL": "POSIX", "LANG": "de_DE.ISO-8859-1"}, ""},
		{env{"LANG": "en_US"}, ""},
		{env{"LANG": "de_DE@euro"}, ""},
		{env{"LANG": "C.UTF-8"}, ""},
		{env{"LANG": "de_DE.utf8@euro"}, ""},
		{env{"LC_ALL": "", "LC_CTYPE": "UTF-8"}, ""},
		{env{"LANG": "C.ASCII"}, ""},
		{env{"LANG": "de_DE.ISO-8859-1"}, "LANG"},
		{env{"LANG": "C.UTF-8", "LC_CTYPE": "ja_JP.eucJP"}, "LC_CTYPE"},
		{env{"LANG": "C.UTF-8", "LC_ALL": "ru_RU.KOI8-R@x"}, "LC_ALL"},
	} {
		err := screen.Charset(func(name string) string { return c.env[name] })
		var wrong *screen.CharsetError
		if errors.As(err, &wrong) != (c.wrong != "") || wrong != nil && (wrong.Variable != c.wrong || wrong.Locale != c.env[c.wrong]) {
			t.Errorf("%v: %v", c.env, err)
		}
	}
}
