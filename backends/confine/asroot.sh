# Runs the helper $2 with root's rights, if what root copies of it has the digest $1: its
# owner could else change it after it was checked. Nobody but root can change the copy, which
# is gone by its name before it runs. The rest are the helper's arguments.
umask 077
for place in /dev/shm /run /tmp /var/tmp; do
	mine=$(mktemp -d "$place/.nod-root.XXXXXX" 2>/dev/null) || continue
	trap 'rm -rf "$mine"; exit 125' HUP INT TERM
	right=
	cat <"$2" >"$mine/cage" 2>/dev/null && case $(sha256sum <"$mine/cage") in "$1 "*) right=yes ;; esac
	runs=
	[ -z "$right" ] || { chmod 500 "$mine/cage" && "$mine/cage" '?' >/dev/null 2>&1 && exec 9<"$mine/cage" && runs=yes; }
	rm -rf "$mine"
	trap - HUP INT TERM
	[ -n "$right" ] || break
	[ -n "$runs" ] || continue
	shift 2
	exec /proc/self/fd/9 "$@"
done
echo 'nod: not held, and so not run: root there cannot run the helper' >&2
exit 125
