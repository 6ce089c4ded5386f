# Tells behind $nod_n $nod_i, to the shell that attends ($nod_a), what the program
# finder has found: what is missing, or, once the terminal has its size ($nod_t),
# the process id, group, session and parent. Nothing here forks but stty.
unset NOD_LAUNCH_0 NOD_LAUNCH_1 NOD_LAUNCH_2 NOD_LAUNCH_3 NOD_LAUNCH_4 NOD_LAUNCH_5 NOD_LAUNCH_6 NOD_LAUNCH_7 NOD_LAUNCH_8 NOD_LAUNCH_9
nod_say() { printf '%s %s %s\n' "$nod_n" "$nod_i" "$*" >"/proc/$nod_a/fd/1"; }
nod_ready() {
	[ -z "$nod_t" ] || stty $nod_t 2>/dev/null
	read -r nod_q nod_q nod_q nod_q nod_g nod_s nod_q </proc/$$/stat
	nod_say ok $$ $nod_g $nod_s $PPID
}
