# Installs the helper by the shell that stays at the other end: see install.sh. It
# costs no session, and the shell holds the helper's file open: whoever may look into that
# shell runs it by that name.
nod_take() { dd "bs=$1" count=1 iflag=fullblock; }
# Opens the helper $1, whose digest is $2, for as long as this shell lives. While a process
# runs it nobody can write to the file. $nod_r is the name to run it by; empty if that cannot be.
nod_open() {
	nod_r=
	[ -r "$1" ] && [ -x "/proc/$$/fd" ] || return
	[ -z "$nod_h" ] || kill "$nod_h"
	{ "$1" stay <&9 9<&- >/dev/null 2>&1 & } 9<&0 # the input of what runs behind is nothing by itself
	nod_h=$!
	exec 8<"$1"
	case $(sha256sum <&8) in
	"$2 "*) [ ! -x "/proc/$$/fd/8" ] || nod_r=/proc/$$/fd/8 ;;
	esac
}
nod_remove() { rm -rf "$1"; }
