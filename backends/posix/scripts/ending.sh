# What ends programs, in a shell that stays at the other end. A process group or
# session that is 0 is none.

# The live processes of session $1 but for $2, as "PID GROUP".
members() {
	sed -n 's/^\([0-9]*\) (.*) [^ZX] [-0-9]* \([0-9]*\) '"$1"' .*/\1 \2/p' /proc/[0-9]*/stat 2>/dev/null |
		while read -r p g; do [ "$p" = "$2" ] || echo "$p $g"; done
}

# Sends signal $4 to group $1 and to what else is in session $2, but for $3.
strike() {
	if [ "$1" != 0 ]; then
		kill "-$4" "-$1" 2>/dev/null
		kill -CONT "-$1" 2>/dev/null
	fi
	[ "$2" = 0 ] && return
	members "$2" "$3" | while read -r p g; do
		[ "$g" = "$1" ] && continue
		kill "-$4" "$p" 2>/dev/null
		kill -CONT "$p" 2>/dev/null
	done
}

# Reports whether session $2 but for $3 has ended, or group $1 where there is no
# session.
over() {
	if [ "$2" = 0 ]; then
		! kill -0 "-$1" 2>/dev/null
	else
		[ -z "$(members "$2" "$3")" ]
	fi
}

pause() { sleep "$1" 2>/dev/null || { sleep 1; t=$((t + 19)); }; } # some know whole seconds only

# Waits for that, $4 steps of 50 ms at most, and sends signal $5, if any, again
# to what has been started meanwhile.
await() {
	t=0
	until over "$1" "$2" "$3"; do
		[ $t -ge "$4" ] && return 1
		t=$((t + 1))
		if [ $t -le 3 ]; then pause 0.01; else pause 0.05; fi
		[ -z "$5" ] || strike "$1" "$2" "$3" "$5"
	done
}

# Ends group $1 and session $2, but for $3: politely with signal $4, after $5
# steps by force.
finish() {
	strike "$1" "$2" "$3" "$4"
	await "$1" "$2" "$3" "$5" '' && return
	strike "$1" "$2" "$3" KILL
	await "$1" "$2" "$3" "$5" KILL
}
