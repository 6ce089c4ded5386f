package risk

import (
	"testing"
)

// TestLossByKind holds the kinds of loss that no table of one program knows.
func TestLossByKind(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		// the power state, by whatever way
		"systemctl start reboot.target",
		"busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager Reboot b true",
		"gdbus call --system --dest org.freedesktop.login1 --object-path /org/freedesktop/login1 --method org.freedesktop.login1.Manager.PowerOff true",
		"loginctl poweroff",
		"rtcwake -m mem -s 60",
		"echo mem > /sys/power/state",
		"fence_ipmilan -a bmc -o off",
		// firmware and the state of the factory
		"efibootmgr -b 0001 -B",
		"mokutil --reset",
		"firstboot -y",
		"flash_erase /dev/mtd0 0 0",
		"vtysh -c 'write erase'",
		// repairs that throw something away
		"e2fsck -fy /dev/sda1",
		"xfs_repair -L /dev/sda1",
		"btrfs rescue zero-log /dev/sda1",
		"tune2fs -O ^has_journal /dev/sda1",
		"zpool import -F tank",
		// receivers and filters over devices and snapshots
		"zfs recv -F tank/x < s",
		"nbdcopy x /dev/sda",
		"somecopier --to=/dev/nvme0n1 image",
		// shell escapes and deletions in clients
		"mysql -e 'system rm -rf x'",
		"sqlite3 a.db '.restore x.db'",
		"psql -c '\\! rm -rf x'",
		// a store's interface over HTTP
		"curl -X POST http://localhost:9200/index/_delete_by_query -d '{}'",
		"curl -X DELETE http://localhost:5984/db",
		"wget --method=DELETE http://localhost:9200/x",
		"http DELETE localhost:9200/x",
		"curl http://localhost:8086/query --data-urlencode 'q=drop database x'",
		// the words of clients, wherever they stand
		"az container delete -n web -g prod",
		"conda env remove -n old",
		"aws cognito-idp admin-delete-user --user-pool-id p --username u",
		"rails db:drop",
		"fd -e tmp . /srv -x rm",
		// what names and options say
		"k3s-uninstall.sh",
		"somecleaner --purge /srv",
		"ssacli ctrl slot=0 ld 1 delete",
		"govc vm.destroy x",
		// files that are emptied, rights that nobody can put back
		"cp /dev/null app.db",
		"sed -i d app.db",
		"chmod -R 000 /",
		"chown -R nobody /etc",
		// words in any form, by programs that nobody knows
		"fooctl topic delete x", "fooctl deleteTopic x", "fooctl topic-del x", "fooctl rmuser bob", "fooctl db:wipe", "fooctl pkg.removed",
		"fooctl force-leave n1", "fooctl rebuild server", "openstack server rebuild web-1", "fooctl cluster purge=true",
		// states, settings, acknowledgements
		"puppet resource package nginx ensure=purged", "mco rpc service action=delete", "npx prisma db push --accept-data-loss",
		// migrations taken back
		"knex migrate:rollback --all", "alembic downgrade base", "sequelize db:migrate:undo:all", "flyway clean",
		// devices and controllers behind ssh
		"ssh sw1 reload", "ssh sw1 'write erase'", "ssh r1 'request system zeroize'", "racadm serveraction graceshutdown",
		// code, as an argument, a here document and through a pipe
		"python3 -c \"import subprocess; subprocess.run(['rm','-rf','/srv/x'])\"", "python3 - <<'E'\nimport os\nos.remove('/srv/x')\nE",
		"echo 'import shutil; shutil.rmtree(\"/srv\")' | python3", "pwsh -c 'Stop-Computer -Force'", "awk 'BEGIN{system(\"dropdb x\")}'",
		"puppet apply -e 'file { \"/srv/x\": ensure => absent }'",
		// what a service is fed, and what a client reads from a block or a substitution
		"echo flush_all | nc localhost 11211", "mysql app < <(echo 'truncate t;')", "{ echo 'begin;'; echo 'drop table t;'; } | psql",
		"curl -X POST -d '{\"query\":\"mutation{deleteUser(id:1){id}}\"}' http://localhost/api",
		// files that are made empty
		"tee /srv/x </dev/null", ": | sudo tee /srv/x", "dd if=/dev/null of=/srv/x", "head -c 0 > /srv/x", "echo -n '' > /srv/x",
		// scripts by their names
		"sh uninstall.sh", "python3 purge_users.py",
	} {
		if v := Command(command, Bash); v.Effect != Destroy {
			t.Errorf("%q: %v, want destroy: %v", command, v.Effect, v.Findings)
		}
	}
	for _, command := range []string{
		"busctl list", "curl -s http://localhost:9200/_cat/indices", "chmod -R 750 /srv/app/releases", "e2fsck -n /dev/sda1",
		"sed -i 's/a/b/' app.conf", "cp a b", "systemctl restart nginx",
		// words of loss that name what is looked at or made, and forms of answers
		"fooctl list --format json", "fooctl describe delete-job", "fooctl get deleted", "fooctl create purge-job", "fooctl help delete", "fooctl delete --help",
		"fooctl --dry-run delete x", "fooctl run --rm x", "fooctl list-deleted", "git merge feature/remove-x", "docker tag a:1 a:delete",
		"apt-get install -y wipe", "lvcreate -L1G -n wipe vg0", "psql -c \"insert into audit values ('delete')\"", "mysql -e 'show tables like \"%drop%\"'",
		"logger 'truncate finished'", "logger 'drop table t'", "useradd removebot",
	} {
		if v := Command(command, Bash); v.Effect == Destroy {
			t.Errorf("%q: destroy: %v", command, v.Findings)
		}
	}
}

// TestWhatIsNotUnderstoodNamesItsSecrets: whoever does not know a program, an option
// or a language still knows which files a command names.
func TestWhatIsNotUnderstoodNamesItsSecrets(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"nobody-knows-this /etc/shadow",
		"nobody-knows-this --input=/etc/shadow",
		"nobody-knows-this @/etc/shadow",
		"nobody-knows-this file:///etc/shadow",
		"cd /etc && nobody-knows-this shadow",
		"nobody-knows-this < /etc/shadow",
		"echo /etc/shadow | nobody-knows-this -T -",
		"python3 -c 'print(open(\"/etc/shadow\").read())'",
		"perl -ne print /etc/shadow",
		"socat -u file:/etc/shadow -",
		"mtr --raw -F /etc/shadow",
		"zip /tmp/x.zip /etc/shadow",
		"aws ec2 describe-instances --filters file:///etc/shadow",
		"LESSOPEN='cat /etc/shadow' less x",
	} {
		v := Command(command, Bash)
		if !v.Flags.Has(Secret) || v.Auto || v.Unread {
			t.Errorf("%q: flags %v, auto %v, unread %v", command, v.Flags, v.Auto, v.Unread)
		}
	}
	for _, command := range []string{"nobody-knows-this /etc/hosts", "python3 -c 'print(1)'", "ls -l /etc/shadow", "nobody-knows-this '*.txt'"} {
		if v := Command(command, Bash); v.Flags.Has(Secret) {
			t.Errorf("%q is secret: %v", command, v.Findings)
		}
	}
}
