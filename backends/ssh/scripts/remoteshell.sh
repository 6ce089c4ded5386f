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
nod_i=
[ $nod_proc = no ] || read -r nod_i </proc/sys/kernel/ostype
nod_say system "${nod_i:-$(uname -s 2>/dev/null)}"
nod_i=$(id 2>/dev/null) # uid=0(root) gid=0(root) ...; without a name: uid=1000 gid=...
nod_i=${nod_i%%' gid='*} nod_i=${nod_i#uid=}
nod_s=${nod_i%%'('*}
case $nod_i in
*'('*) nod_i=${nod_i#*'('} nod_i=${nod_i%')'} ;;
esac
nod_say uid "$nod_s"
nod_say user "$nod_i"
nod_say home "$HOME"
nod_say shell "$SHELL"
nod_say umask "$(umask)"
nod_say ready

while read -r id what a b c d; do
	case $what in
	ping) nod_say $id ok ;;
	signal)
		if kill "-$b" "-$a" 2>/dev/null; then nod_say $id ok
		elif kill -0 "-$a" 2>/dev/null; then nod_say $id denied
		else nod_say $id gone; fi
		;;
	end) { if finish "$a" "$b" '' "$c" "$d"; then nod_say $id ok; else nod_say $id left; fi; } & ;;
	run) # the script of $a bytes behind this line, which leaves its answer in $nod_r
		nod_r=
		if nod_x=$(dd "bs=$a" count=1 iflag=fullblock 2>/dev/null) && [ -n "$nod_x" ]; then
			eval "$nod_x"
			nod_say $id "ok $nod_r"
		else
			nod_say $id no
		fi
		;;
	call) # a function of such a script
		nod_r=
		"$a" $b $c $d
		nod_say $id "ok $nod_r"
		;;
	owner)
		nod_o=$(getent passwd "$a" 2>/dev/null || sed -n "/^[^:]*:[^:]*:$a:/p" /etc/passwd 2>/dev/null)
		nod_say $id "${nod_o%%:*}"
		;;
	*) nod_say $id unknown ;;
	esac
done
