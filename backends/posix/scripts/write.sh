# Writes standard input to a file: path, "exact" if no link may lead there,
# "dirs" if missing folders are made, mode of a new file or "", what is
# expected ("" anything, "none" no file, or a SHA-256), size of the content,
# name for the temporary file, "all" if the input is read to its end in any case.
export LC_ALL=C
path=$1 exact=$2 dirs=$3 mode=$4 expect=$5 size=$6 tmp=./$7 all=$8
umask=$(umask)
say() {
	[ -z "$made" ] || rm -f -- "$tmp"
	[ -z "$all" ] || cat >/dev/null
	printf '%s\n' "$*"
	exit 0
}
fail() { [ -z "$made" ] || rm -f -- "$tmp"; exit 1; } # the reason is on standard error
made=
trap fail HUP INT TERM

# The folder of $path becomes the working directory, which no link can move
# from here on; the file is ./$base.
split() {
	dir=${path%/*}/ base=${path##*/}
	case $base in '' | . | ..) say directory ;; esac
}
lost() { # why the folder $1 cannot be entered
	if [ -d "$1" ]; then say denied; fi
	while [ "$1" != "${1%/*}" ]; do
		if [ -e "$1" ] && [ ! -d "$1" ]; then say notdir; fi
		set -- "${1%/*}"
	done
	say none
}
at() { [ "$(readlink /proc/$$/cwd && echo .)" = "$1
." ]; }
make() { mkdir -- "$1" && sync . || [ -d "$1" ]; }
split
if [ "$exact" = exact ]; then
	dir=${dir%/}
	[ -n "$dir" ] || dir=/
	if ! cd -P -- "$dir" 2>/dev/null; then
		[ -n "$dirs" ] || lost "$dir"
		cd / || fail
		here= rest=${dir#/}/
		while [ -n "$rest" ]; do
			name=${rest%%/*} rest=${rest#*/}
			if [ ! -e "./$name" ] && [ ! -L "./$name" ]; then
				at "${here:-/}" || say changed
				make "./$name" || fail
			fi
			[ -L "./$name" ] && say changed
			cd -P -- "./$name" 2>/dev/null || lost "./$name"
			here=$here/$name
		done
	fi
	at "$dir" || say changed
	[ -L "./$base" ] && say changed
else
	n=0
	while [ -L "$path" ]; do
		n=$((n + 1))
		[ $n -le 40 ] || say loop
		to=$(readlink -- "$path" && echo .) || fail
		to=${to%
.}
		case $to in /*) path=$to ;; *) path=$dir$to ;; esac
		split
	done
	if [ -n "$dirs" ] && [ ! -d "$dir" ]; then
		here= rest=${dir#/}
		while [ -n "$rest" ]; do
			here=$here/${rest%%/*} rest=${rest#*/}
			[ -d "$here/" ] || make "$here" || fail
		done
	fi
	cd -P -- "$dir" 2>/dev/null || lost "${dir%/}"
fi

# What is there now.
look() { stat -c '%f %h %i %d %u %g' -- "./$base"; }
twin() { # another of us is putting the file in its place, see below
	for f in ./.nod-*.tmp; do
		[ "./$base" -ef "$f" ] && return
	done
	return 1
}
old=
if [ -e "./$base" ]; then
	[ -d "./$base" ] && say directory
	[ -f "./$base" ] || say irregular
	n=0
	while twin && [ $n -lt 40 ]; do
		n=$((n + 1))
		sleep 0.05 2>/dev/null || sleep 1
	done
	old=$(look) || fail
	set -- $old
	[ "$2" = 1 ] || say links "$2"
	[ -w "./$base" ] || say denied
fi

# The content, which nobody else may read yet.
umask 077
set -C
: >"$tmp" || fail
set +C
made=1
cat >"$tmp" || fail
[ "$(stat -c %s -- "$tmp")" = "$size" ] || say short

# Owner, mode and attributes, which a write takes away in part.
if [ -n "$old" ]; then
	set -- $old
	now=$(stat -c '%u %g' -- "$tmp") || fail
	[ "$now" = "$5 $6" ] || chown -- "$5:$6" "$tmp" 2>/dev/null || say owner "$5:$6"
	chmod -- "$(printf %o $((0x$1 & 07777)))" "$tmp" || fail
	no=$(cp -P --attributes-only --preserve=mode,xattr -- "./$base" "$tmp" 2>&1) || case $no in
	*unrecognized* | *nvalid\ option*) ;; # busybox
	*) printf '%s\n' "$no" >&2; fail ;;
	esac
elif [ -n "$mode" ]; then
	chmod -- "$mode" "$tmp" || fail
else
	chmod -- "$(printf %o $((0644 & ~0$umask)))" "$tmp" || fail
fi
sync "$tmp" || fail

# The last look, and the exchange; nothing interrupts it.
case $expect in
'') ;;
none) [ -z "$old" ] || say changed ;;
*)
	[ -n "$old" ] || say changed
	sum=$(sha256sum <"./$base") || fail
	[ "${sum%% *}" = "$expect" ] || say changed
	;;
esac
trap '' HUP INT TERM
if [ -n "$old" ]; then
	[ -L "./$base" ] && say changed
	if [ -n "$expect" ]; then [ "$(look 2>/dev/null)" = "$old" ] || say changed; fi
	mv -f -T -- "$tmp" "./$base" || fail
else
	ln -T -- "$tmp" "./$base" 2>/dev/null || {
		if [ -e "./$base" ] || [ -L "./$base" ]; then say changed; fi
		mv -n -T -- "$tmp" "./$base" || fail # a file system without hard links
		[ -e "$tmp" ] && say changed
	}
	rm -f -- "$tmp"
fi
made=
sync . || fail
printf 'ok %s\n' "$(stat -c '%f %s %Y %u %U' -- "./$base")"
