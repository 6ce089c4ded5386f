# Carries out what is asked on standard input, one line of shell each: "ask ID
# NAME ARGS". What it prints is followed by the mark "$n ID STATUS" on standard
# output and "$n ID" on standard error. $L is a line feed, for arguments. $F and
# nod_read come from package posix.
n=$1 L='
'
ask() {
	i=$1
	shift
	("$@") </dev/null
	s=$?
	printf '\n%s %s\n' "$n" "$i" >&2
	printf '\n%s %s %s\n' "$n" "$i" $s
}

nod_stat() { stat -L -c "$F" -- "$1"; }

# Lists the folder $1: the names, each with a zero byte, an empty one, and what
# stat says of each.
nod_list() {
	if [ ! -d "$1" ]; then stat -L -c '' -- "$1" && echo "Not a directory" >&2; return 1; fi
	cd -- "$1" 2>/dev/null || { echo "Permission denied" >&2; return 1; }
	[ -r . ] || { echo "Permission denied" >&2; return 1; }
	set --
	for f in * .[!.]* ..?*; do
		if [ -e "$f" ] || [ -L "$f" ]; then set -- "$@" "./$f"; fi
	done
	[ $# = 0 ] || printf '%s\0' "$@"
	printf '\0'
	[ $# = 0 ] || printf '%s\0' "$@" | xargs -0 stat -c "$F %n" -- 2>/dev/null
	return 0
}

# Follows all links in $1. What does not exist at its end stays as it is.
nod_resolve() {
	d= r=$1/ k=0
	while [ -n "$r" ]; do
		e=${r%%/*} r=${r#*/}
		case $e in
		'' | .) continue ;;
		..) d=${d%/*}; continue ;;
		esac
		if [ -L "$d/$e" ]; then
			k=$((k + 1))
			if [ $k -gt 40 ]; then echo loop; return; fi
			t=$(readlink -- "$d/$e" && echo .) || return 1
			t=${t%"$L."}
			case $t in /*) d= ;; esac
			r=$t/$r
		else
			case $r in
			*[!/.]*)
				if [ -e "$d/$e" ] && [ ! -d "$d/$e" ]; then echo notdir; return; fi
				if [ -d "$d/$e" ] && [ ! -x "$d/$e" ]; then echo denied; return; fi
				;;
			esac
			d=$d/$e
		fi
	done
	printf 'ok %s' "${d:-/}"
}
