# Gives the terminal back in place of a nod that could not. $1 is its settings from
# before nod, as of stty -g; $2 ends its modes; $3 is for what a crash prints.
# Descriptor 3 is the terminal, standard input a pipe from nod.
umask 077
first=$(dd bs=4096 count=1 2>/dev/null) || exit # nobody has told anything
[ "$first" = over ] && exit
case $(stty -a <&3) in
*-isig*) # nobody has taken the terminal over meanwhile, as a shell does
	stty "$1" <&3 || stty sane <&3
	printf '\033[?2004l' >&3
	;;
esac
printf %s "$2" >&3
if [ -z "$first" ]; then
	printf '\r\nnod was killed. The terminal is as it was before; press Enter.\r\n' >&3
	exit
fi
{ printf %s "$first"; cat; } >"$3" || cat >/dev/null
printf '\r\nnod has crashed, and the terminal is as it was before. What is above is also in %s\r\n' "$3" >&3
