# Whoever makes this link first has won: the revert, or the disarming.
if ! ln -s disarm "$dir/taken" 2>/dev/null && [ "$(readlink "$dir/taken")" != disarm ]; then
	answer fired
	exit 0
fi
case $(cat "$dir/means") in
systemd) systemctl stop "nod-revert-$id.timer" 2>/dev/null ;;
at) atrm "$(cat "$dir/job")" 2>/dev/null ;;
*)
	pid=$(cat "$dir/pid")
	# By its command line, for the number may be another process's by now.
	if tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "nod-revert-$id"; then
		kill -TERM "-$pid" 2>/dev/null || kill -TERM "$pid"
	fi
	;;
esac
rm -rf "$dir" || { echo "$dir could not be removed" >&2; exit 1; }
answer disarmed
