package shells

import "testing"

func TestWhatOpensAShell(t *testing.T) {
	for command, want := range map[string]bool{
		"bash": true, "zsh -f": true, "/bin/sh -i": true, "fish --no-config": true, "busybox ash": true,
		"ssh web-1": true, "ssh -p 22 -i key me@web-1": true, "ssh -tt web-1 sudo -i": true, "ssh -o X=y h bash": true,
		"sudo -i": true, "sudo -u postgres -s": true, "sudo su -": true, "sudo bash": true, "su": true, "su - postgres": true,
		"docker exec -it api bash": true, "podman run --rm -it alpine sh": true, "kubectl exec -it pod -- sh": true,
		"env -i bash": true, "env -i TERM=xterm bash --norc": true, "FOO=1 bash": true, "setpriv --nnp bash": true, "chroot /mnt bash": true,
		"": false, "ls": false, "bash script": false, "bash -c true": false, "sh -lc true": false, "bash; true": false, "bash | cat": false,
		"ssh web-1 uptime": false, "ssh -N web-1": false, "ssh -fN web-1": false, "ssh": false, "sudo apt upgrade": false, "sudo": false,
		"sudo -i true": false, "su -c true": false, "su root --command=true": false, "docker exec api bash": false, "docker exec -it api psql": false,
		"docker ps": false, "vim": false, "python3": false, "mysql": false, "bash $x": false, "echo bash": false, "bash &": false, "su -lc true": false,
	} {
		if got := Opens(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

func TestCommandsThatOnlyRedirect(t *testing.T) {
	for command, want := range map[string]bool{
		"exec 2>/dev/null":             true,
		" exec 2>&1 >>log.txt":         true,
		"exec 2>/dev/null; read x":     false,
		"exec bash 2>/dev/null":        false,
		"exec":                         false,
		"echo 2>/dev/null":             false,
		"exec 2>/dev/null\nread x":     false,
		"exec 3< \"$(sleep 5; echo)\"": false,
	} {
		if Redirects(command) != want {
			t.Errorf("%q: %v", command, !want)
		}
	}
}
