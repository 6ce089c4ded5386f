package risk

import "testing"

// TestLossByEscapes: clients, editors and pagers lose what they are told to, by themselves,
// by a server or by a shell.
func TestLossByEscapes(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		// pagers, editors, debuggers that run a command
		"less '+!rm -rf x' f", "less +'!rm x' f", "vim +'!rm -rf x' +q", "ex -c '!rm x' f", "vim -c ':w !rm x' f", "ed f <<< '!rm -rf x'", "gdb -batch -ex 'shell rm -rf x'",
		"gdb -batch -ex '!rm -rf x' p", "man -P 'sh -c \"rm -rf x\"' ls", "emacs --batch --eval '(delete-directory \"x\" t)'", "psql -c '\\! shutdown -h now'",
		// clients of other hosts and of databases, by their arguments and by what they are fed
		"sftp host <<< 'rm x'", "printf 'cd x\\nrm y\\n' | sftp -b - host", "lftp -c 'open h; mrm *'", "ftp -n h <<< 'delete x'", "redis-cli eval \"return redis.call('flushall')\" 0",
		"redis-cli EVAL \"redis.pcall('del', 'x')\" 0", "cypher-shell 'match (n) detach delete n'", "zkCli.sh deleteall /app", "influx delete --bucket b", "ldapdelete -r dc=x",
		// the HTTP interface of a store
		"curl -X POST http://localhost:2379/v3/kv/deleterange -d '{\"key\":\"AA==\"}'", "echo 'DROP TABLE x' | curl http://localhost:8123/ --data-binary @-",
		"curl 'http://localhost:8983/solr/admin/cores?action=UNLOAD&core=x&deleteInstanceDir=true'", "curl -X PUT http://localhost:8500/v1/agent/force-leave/n1",
		// filters and receivers that write to devices
		"split -b 1G --filter='dd of=/dev/sdb' x.img", "socat TCP-LISTEN:9000 OPEN:/dev/sdb", "qemu-img convert -O raw x.qcow2 /dev/sda",
		// the power state, repairs, resets to the factory state
		"virsh reset web", "machinectl poweroff x", "racadm serveraction powercycle", "mongod --repair", "redis-check-aof --fix a.aof", "innochecksum --write=crc32 x.ibd",
		"rpm-ostree reset", "cloud-init clean --logs", "virt-sysprep -d x", "microk8s reset", "gitlab-ctl cleanse", "ufw --force reset", "kafka-streams-application-reset.sh --application-id x",
	} {
		if v := Command(command, Bash); v.Effect != Destroy || v.Auto {
			t.Errorf("%q: %v, want destroy: %v", command, v.Effect, v.Findings)
		}
	}
	for _, command := range []string{
		"git commit -m 'rm old files'", "git commit -m 'remove x; delete y'", "sftp host <<< 'get x'", "vim +12 f", "less +G f", "tee f <<< 'rm x'", "qemu-img convert -O raw a b",
		"redis-cli eval 'return 1' 0", "split -l 10 x", "systemctl reset-failed", "echo hi | mail -s 'rm x' ops",
	} {
		if v := Command(command, Bash); v.Effect == Destroy {
			t.Errorf("%q: destroy: %v", command, v.Findings)
		}
	}
	if v := Command("more '+!rm -rf x' f", Bash); v.Auto {
		t.Error("more is told a command and runs unasked")
	}
}
