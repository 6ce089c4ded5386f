# Puts the helper of nod into a folder of its own and prints its path, a tab and what it
# says of this kernel. $1 and $2 are the digests of what is sent for amd64 and arm64: the
# helper and behind it the list of secrets. It says which it wants ("want PROCESSOR",
# $3 and $4 are the sizes of the helpers alone), and reads it from standard input, unless it
# was kept: if $5 is "kept", the folder of another start on the same connection serves, and
# stays for the next. Where a folder does not let it run, it prints "next" and what $6 is to be
# for the folder after that. Where none does, it prints "memory", the interpreter that can
# run the helper from memory, and the processor; or "none" and why not. Folders of
# connections that have ended are removed.
case $(uname -m) in
x86_64 | amd64) processor=amd64 digest=$1 size=$3 ;;
aarch64 | arm64) processor=arm64 digest=$2 size=$4 ;;
*)
	echo "none nod has no helper for the processor $(uname -m)"
	exit
	;;
esac
umask 077
# began puts into $ticks when a process began (proc(5), stat); nothing if it has ended. It
# starts nothing: it is asked for each folder that is there. A name can hold lines and ") ".
began() {
	ticks='' stat=''
	while read -r line; do stat=$line; done 2>/dev/null <"/proc/$1/stat"
	set -- ${stat##*') '}
	[ $# -lt 20 ] || ticks=${20}
}
began "$PPID"
mine=.nod-ro.$PPID.${ticks:-0}
if [ -n "$ticks" ] && [ "$5" = kept ]; then
	mine=$mine.kept
	for place in "$XDG_RUNTIME_DIR" /dev/shm /tmp /var/tmp "$HOME"; do
		for folder in "$place/$mine".*; do
			[ -O "$folder/cage" ] && case $(sha256sum <"$folder/cage") in "$digest "*) ;; *) continue ;; esac &&
				can=$("$folder/cage" '?' 2>/dev/null) || continue
			printf '%s\t%s\n' "$folder/cage" "$can"
			exit
		done
	done
fi
# The name of a folder says whose it is. That a process's number was given to another is
# looked for in a few: it is rare, and looking is slow where there are hundreds.
few=8
for place in "$XDG_RUNTIME_DIR" /dev/shm /tmp /var/tmp "$HOME"; do
	case $place in /*) ;; *) continue ;; esac
	for old in "$place"/.nod-ro.*; do
		[ -O "$old" ] || continue
		owner=${old##*/.nod-ro.}
		since=${owner#*.}
		owner=${owner%%.*}
		if [ -d "/proc/$owner" ]; then
			[ $few -gt 0 ] || continue
			few=$((few - 1))
			began "$owner"
			[ "${since%%.*}" != "$ticks" ] || continue
		fi
		rm -rf "$old"
	done
done
number=0
for place in "$XDG_RUNTIME_DIR" /dev/shm /tmp /var/tmp "$HOME"; do
	number=$((number + 1))
	[ $number -gt "$6" ] || continue
	case $place in /*) ;; *) continue ;; esac
	trap 'rm -rf "$folder"; exit 1' HUP INT TERM # nod has gone
	folder=$(mktemp -d "$place/$mine.XXXXXX" 2>/dev/null) || continue
	echo "want $processor"
	if cat 2>/dev/null >"$folder/cage" && tail -c "+$((size + 1))" "$folder/cage" 2>/dev/null >"$folder/secrets" &&
		chmod 500 "$folder/cage" && ln "$folder/cage" "$folder/ro" && ln "$folder/cage" "$folder/held" &&
		can=$("$folder/cage" '?' 2>/dev/null); then
		printf '%s\t%s\n' "$folder/cage" "$can"
		exit
	fi
	rm -rf "$folder"
	echo "next $number"
	exit
done
for interpreter in python3 perl; do
	if command -v "$interpreter" >/dev/null 2>&1; then
		echo "memory $interpreter $processor"
		exit
	fi
done
echo "none no folder there lets programs run, and neither python3 nor perl is there to run one from memory"
