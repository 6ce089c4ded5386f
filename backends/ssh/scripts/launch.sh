# Tells behind $nod_n, on standard output, whether the program finder has found
# the program, and its process id; if $nod_ask, the group and the session, too.
# Nothing here forks: a start costs no more than it must.
nod_say() { printf '%s %s\n' "$nod_n" "$*"; }
nod_ready() {
	if [ -n "$nod_ask" ]; then
		read -r nod_q nod_q nod_q nod_q nod_g nod_s nod_q </proc/$$/stat
		nod_say ok $$ $nod_g $nod_s
	else
		nod_say ok $$
	fi
}
