# Installs the helper by the shell that stays at the other end: see install.sh. That costs no
# session, and the shell holds the helper's file open for as long as it lives. The answer
# with a helper's path has the name to run it by as a third field, if that can be.
nod_take() { exec dd "bs=$1" count=1 iflag=fullblock; }
nod_good() {
	[ -r "$1" ] || return
	exec 8<"$1"
	case $(sha256sum <&8) in "$nod_d "*) ;; *) return 1 ;; esac
	nod_h=/proc/$$/fd/8
	[ -e $nod_h ] || nod_h=$1
	nod_c=$("$nod_h" '?' 2>/dev/null)
}
# Has a process run the helper that $nod_r names and that is open: nobody can write to its file
# meanwhile (ETXTBSY).
nod_open() {
	case $nod_r$nod_h in /*/proc/*) ;; *) return ;; esac
	[ -z "$nod_stays" ] || kill "$nod_stays"
	{ "$nod_h" stay <&9 9<&- >/dev/null 2>&1 & } 9<&0 # the input of what runs behind is nothing by itself
	nod_stays=$!
	nod_w=100 # short pauses at most, until it does
	# shellcheck disable=SC3013 # a shell without -ef waits a little
	until [ "/proc/$nod_stays/exe" -ef "$nod_h" ] 2>/dev/null || [ $((nod_w -= 1)) = 0 ]; do (:); done
	nod_r=$nod_r$nod_t$nod_h
}
nod_bring() {
	nod_put "$@"
	nod_open
}
