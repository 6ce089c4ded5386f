# Gives the terminal back in place of a nod that could not. $1 is its settings from
# before nod, as of stty -g; $2 ends its modes, but for that of pastes, which $4 ends;
# $3 is for what a crash prints; $5 is the process that leads nod's session.
# Descriptor 3 is the terminal, standard input a pipe from nod.
umask 077

# brackets reports whether the program that has the terminal now switches the mode of
# pastes on and off by itself at each of its prompts: it may have done so already.
brackets() {
	read -r stat <"/proc/$1/stat" || return
	set -- ${stat##*) }
	read -r name <"/proc/$6/comm" || return # of the group in the foreground
	case $name in
	*bash | *zsh | fish | nu | elvish | xonsh) return 0 ;;
	esac
	return 1
}

first=$(dd bs=4096 count=1 2>/dev/null) || exit # nobody has told anything
[ "$first" = over ] && exit
if [ -z "$first" ]; then # killed: nobody waits, and a shell takes the terminal over
	sleep 0.2 2>/dev/null || sleep 1
fi
# The modes go first: once the settings are back, a program that waits for them may write.
printf %s "$2" >&3
case $(stty -a <&3) in
*-isig*) # nobody has taken the terminal over meanwhile, as a shell does
	stty "$1" <&3 || stty sane <&3
	printf %s "$4" >&3
	;;
*)
	brackets "$5" 2>/dev/null || printf %s "$4" >&3
	;;
esac
if [ -z "$first" ]; then
	printf '\r\nnod was killed. The terminal is as it was before; press Enter.\r\n' >&3
	exit
fi
{ printf %s "$first"; cat; } >"$3" || cat >/dev/null
printf '\r\nnod has crashed, and the terminal is as it was before. What is above is also in %s\r\n' "$3" >&3
