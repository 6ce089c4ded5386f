# Installs the helper by the shell that stays at the other end: see install.sh. That costs no
# session, and the shell holds the helper's file open for as long as it lives. The answer
# with a helper's path has the name to run it by as a third field, if that can be.
nod_take() { exec dd "bs=$1" count=1 iflag=fullblock; }
# Opens the helper that $nod_r names, if its digest is the right one. While a process runs it
# nobody can write to its file (ETXTBSY).
nod_open() {
	case $nod_r in /*) ;; *) return ;; esac
	nod_f=${nod_r%%"$nod_t"*}
	[ -r "$nod_f" ] && [ -x "/proc/$$/fd" ] || return
	[ -z "$nod_h" ] || kill "$nod_h"
	{ "$nod_f" stay <&9 9<&- >/dev/null 2>&1 & } 9<&0 # the input of what runs behind is nothing by itself
	nod_h=$!
	exec 8<"$nod_f"
	case $(sha256sum <&8) in
	"$nod_d "*) [ ! -x "/proc/$$/fd/8" ] || nod_r=$nod_r$nod_t/proc/$$/fd/8 ;;
	esac
}
nod_bring() {
	nod_put "$@"
	nod_open
}
