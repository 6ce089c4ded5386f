# Defines nod_read, which opens the file $1 and tells what it is, then its
# content: all of it if $2 is "all", else if it is not above $2 bytes. If $3, no
# link may lead there: the path that the kernel has for the open file must be $1
# itself.
export LC_ALL=C
F='%f %s %Y %u %U'
nod_read() {
	p=$1
	if [ -n "$3" ] && [ -L "$p" ]; then echo changed; return; fi
	if [ -d "$p" ]; then echo directory; return; fi
	if [ -e "$p" ] && [ ! -f "$p" ]; then echo irregular; return; fi
	exec 3<"$p" || return 1
	if [ -n "$3" ]; then
		l=$(readlink /proc/self/fd/3 && echo .) || return 1
		if [ "$l" != "$p
." ]; then echo changed; return; fi
	fi
	f=$(stat -L -c "$F" /proc/self/fd/3) || return 1
	printf 'ok %s\n' "$f"
	if [ "$2" = all ]; then exec cat <&3; fi
	f=${f#* }
	f=${f%% *}
	if [ "$f" -le "$2" ]; then exec head -c $(($2 + 1)) <&3; fi
}
