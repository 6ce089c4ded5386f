# Stays in the container for as long as nod's connection: tells what the
# container is, then carries out lines "ID WHAT P G S W …" and answers
# "$n ID WORD". P is a program, G its process group or 0, S its session, W the
# process that waits for it and is spared. When the connection ends without a
# word, all programs that were started over it are ended.
n=$1
say() { printf '%s %s\n' "$n" "$*"; }
[ -r /proc/$$/stat ] && [ -w /proc/$$/fd/1 ] && (: >/proc/$$/fd/1) 2>/dev/null && say proc yes
say pid $$
for t in awk time setsid env sed grep stat readlink mv ln sync sha256sum sleep stty tmux; do
	f=$(command -v $t 2>/dev/null) && say has $t "$f" # busybox has no path for what is in it
done
# What ends a program: which of these tells an exit code from a signal?
say awk "$(awk 'BEGIN { print system("exit 137"), system("kill -KILL $$") }' </dev/null 2>/dev/null)"
say time "$(env time -o /proc/self/fd/2 -f %x sh -c 'kill -KILL $$' 2>&1 </dev/null | tr '\n' ' ')"
say uid "$(id -u 2>/dev/null)"
say user "$(id -un 2>/dev/null)"
say home "$HOME"
say machine "$(uname -m 2>/dev/null)"
say umask "$(umask)"
# Not every shell's -w knows of read-only file systems.
readonly_at() {
	m= r=
	while read -r x p x o x; do
		case $1/ in "${p%/}"/*) if [ ${#p} -ge ${#m} ]; then m=$p r=$o; fi ;; esac
	done </proc/mounts
	case ,$r, in *,ro,*) return 0 ;; esac
	return 1
}
for d in /tmp /var/tmp /dev/shm /run "$HOME"; do
	[ -d "$d" ] && [ -w "$d" ] && ! readonly_at "$d" && say writable "$d"
done
say ready

# Sends signal $5 to the group that program $1 is in now; where the one that
# waits for it ($4) is in it, too, to each of the others. $3 is the session.
signal() {
	g=$(sed -n 's/^[0-9]* (.*) [^ZX] [-0-9]* \([0-9]*\) .*/\1/p' "/proc/$1/stat" 2>/dev/null)
	[ -n "$g" ] || { echo gone; return; }
	w=$(sed -n 's/^[0-9]* (.*) [^ZX] [-0-9]* \([0-9]*\) .*/\1/p' "/proc/$4/stat" 2>/dev/null)
	if [ "$g" != "$w" ]; then
		if kill "-$5" "-$g" 2>/dev/null; then echo ok; elif kill -0 "-$g" 2>/dev/null; then echo denied; else echo gone; fi
		return
	fi
	members "$3" "$4" | while read -r p q; do [ "$q" = "$g" ] && kill "-$5" "$p" 2>/dev/null; done
	echo ok
}

bye=
while read -r id what a b c d e f; do
	case $what in
	ping) say "$id" ok ;;
	signal) say "$id" "$(signal "$a" "$b" "$c" "$d" "$e")" ;;
	end) { if finish "$b" "$c" "$d" "$e" "$f"; then say "$id" ok; else say "$id" left; fi; } & ;;
	bye) bye=1; break ;;
	*) say "$id" unknown ;;
	esac
done
[ -z "$bye" ] || exit 0

# The connection is lost. Programs bear its mark in the command line of the
# process that waits for them; one may be on its way to its start still.
trap '' HUP PIPE
t=0
calm=0
while [ $t -lt 120 ] && [ $calm -lt 20 ]; do
	calm=$((calm + 1))
	for f in $(grep -l "[n]od-${n#nod-}" /proc/[0-9]*/cmdline 2>/dev/null); do
		w=${f#/proc/}
		w=${w%/cmdline}
		[ "$w" = $$ ] && continue
		if [ $t -lt 40 ]; then s=TERM; else s=KILL; fi
		sed -n 's/^[0-9]* (.*) [^ZX] '"$w"' \([0-9]*\) \([0-9]*\) .*/\1 \2/p' /proc/[0-9]*/stat 2>/dev/null |
			while read -r g q; do strike 0 "$q" "$w" $s; done
		calm=0
	done
	t=$((t + 1))
	pause 0.05
done
