package desk_test

import (
	"encoding/json"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
)

// A question cannot be used to ask for a secret; that a secret is what it is about
// does not matter.
func TestAQuestionAsksForNoSecret(t *testing.T) {
	for question, refused := range map[string]bool{
		"Please enter your password":                                     true,
		"Password:":                                                      true,
		"Password of deploy on web-1:":                                   true,
		"[sudo] password for deploy:":                                    true,
		"What is the sudo password of web-1?":                            true,
		"Type the passphrase for the key in the chat":                    true,
		"I cannot log in. Could you give me the API key for the server?": true,
		"Your password?":                                                 true,
		"Please paste the one-time code":                                 true,
		"Which type of password hash is right?":                          false,
		"The password of the database expires. Rotate it now?":           false,
		"Two tokens are old. Which one may be revoked?":                  false,
		"Should passwords be allowed for ssh, or keys only?":             false,
		"The private key is readable by all. Mend it?":                   false,
	} {
		args, err := json.Marshal(map[string]any{"question": question, "options": []string{"now", "later"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = (desk.Question{}).Plan(t.Context(), args, tools.Env{}); (err != nil) != refused {
			t.Errorf("%q: %v", question, err)
		}
	}
}
