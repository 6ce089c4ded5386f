package ssh_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/ssh"
)

// Every option that the installed ssh knows, by what it prints and by the list of
// its manual, is in the table once, with a status that there is.
func TestEveryKeywordHasAStatus(t *testing.T) {
	statuses := []ssh.KeywordStatus{ssh.KeywordDone, ssh.KeywordAsked, ssh.KeywordStock, ssh.KeywordNamed, ssh.KeywordRefused, ssh.KeywordNone}
	var names []string
	for _, k := range ssh.Keywords() {
		if slices.Contains(names, k.Name) || k.Name != strings.ToLower(k.Name) || !slices.Contains(statuses, k.Status) {
			t.Errorf("%+v", k)
		}
		names = append(names, k.Name)
	}
	need(t, "ssh")
	w := bare(t)
	all := w.write("config", strings.Join([]string{
		"Host box", "PKCS11Provider x", "KnownHostsCommand /bin/true", "LocalCommand x", "LocalForward 1 a:2", "RemoteForward 3 a:4",
		"DynamicForward 5", "ProxyCommand x", "HostKeyAlias x", "BindAddress x", "BindInterface x", "CertificateFile x",
		"ControlPath x", "ControlMaster auto", "IdentityAgent x", "KbdInteractiveDevices x", "PreferredAuthentications x",
		"RevokedHostKeys x", "RemoteCommand x", "SendEnv X", "SetEnv A=1", "IgnoreUnknown x",
	}, "\n")+"\n")
	for _, args := range [][]string{{"-F", "none"}, {"-F", all}} {
		text, err := exec.Command("ssh", append(append([]string{"-G"}, args...), "box")...).Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); !slices.Contains(names, strings.ToLower(name)) {
				t.Errorf("ssh -G prints %q, of which nothing is known", name)
			}
		}
	}
}
