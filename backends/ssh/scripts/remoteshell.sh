# Stays at the other end for as long as the connection: tells how its arguments
# arrived, who and where it is, then carries out lines "ID WHAT A B C" and answers "$nod_n ID RESULT".
nod_say() { printf '%s %s\n' "$nod_n" "$*"; }
nod_own=yes nod_proc=no
if [ -r /proc/$$/stat ]; then
	nod_proc=yes
	read -r nod_i nod_i nod_i nod_i nod_g nod_s nod_i </proc/$$/stat
	[ "$nod_s" = $$ ] || nod_own=no
fi
nod_setsid=no
command -v setsid >/dev/null 2>&1 && nod_setsid=yes
nod_say quote "$1$2"
nod_say own $nod_own
nod_say proc $nod_proc
nod_say setsid $nod_setsid
nod_say system "$(uname -s 2>/dev/null)"
nod_say uid "$(id -u 2>/dev/null)"
nod_say user "$(id -un 2>/dev/null)"
nod_say home "$HOME"
nod_say shell "$SHELL"
nod_say umask "$(umask)"
nod_say ready

# The live processes of session $1, as "PID GROUP".
members() {
	sed -n 's/^\([0-9]*\) (.*) [^ZX] [-0-9]* \([0-9]*\) '"$1"' .*/\1 \2/p' /proc/[0-9]*/stat 2>/dev/null
}

# Sends signal $3 to group $1 and to what else is in session $2.
strike() {
	kill "-$3" "-$1" 2>/dev/null
	kill -CONT "-$1" 2>/dev/null
	[ "$2" = 0 ] && return
	members "$2" | while read -r p g; do
		[ "$g" = "$1" ] && continue
		kill "-$3" "$p" 2>/dev/null
		kill -CONT "$p" 2>/dev/null
	done
}

# Reports whether group $1 and session $2 have ended.
over() {
	if [ "$2" = 0 ]; then
		! kill -0 "-$1" 2>/dev/null
	else
		[ -z "$(members "$2")" ]
	fi
}

# Waits for that, $3 steps of 50 ms at most, and sends signal $4, if any, again
# to what has been started meanwhile.
await() {
	t=0
	until over "$1" "$2"; do
		[ $t -ge "$3" ] && return 1
		t=$((t + 1))
		if [ $t -le 3 ]; then
			sleep 0.01 2>/dev/null || { sleep 1; t=$((t + 20)); }
		else
			sleep 0.05 2>/dev/null || { sleep 1; t=$((t + 19)); }
		fi
		[ -z "$4" ] || strike "$1" "$2" "$4"
	done
}

# Ends group $1 and session $2: politely with signal $3, after $4 steps by force.
finish() {
	strike "$1" "$2" "$3"
	await "$1" "$2" "$4" '' && return
	strike "$1" "$2" KILL
	await "$1" "$2" "$4" KILL
}

while read -r id what a b c d; do
	case $what in
	ping) nod_say $id ok ;;
	signal)
		if kill "-$b" "-$a" 2>/dev/null; then nod_say $id ok
		elif kill -0 "-$a" 2>/dev/null; then nod_say $id denied
		else nod_say $id gone; fi
		;;
	end) { if finish "$a" "$b" "$c" "$d"; then nod_say $id ok; else nod_say $id left; fi; } & ;;
	owner)
		nod_o=$(getent passwd "$a" 2>/dev/null || sed -n "/^[^:]*:[^:]*:$a:/p" /etc/passwd 2>/dev/null)
		nod_say $id "${nod_o%%:*}"
		;;
	*) nod_say $id unknown ;;
	esac
done
