# Looks below a folder: the folder, how deep ("" for as deep as it goes), a
# pattern for the last name ("" for any), "names" or "lines", and for lines a
# POSIX extended regular expression. Tells "ok", then
#   names: the folders, each behind a zero byte's end, an empty one, all else;
#   lines: for each file with a match its path, and "binary" or "N:line" for
#   each of them.
# What find and grep cannot look at they say on standard error.
export LC_ALL=C
root=$1 depth=$2 name=$3 what=$4 pattern=$5
say() { printf '%s\n' "$*"; exit 0; }
N='
'
for t in find grep sort tr xargs head wc readlink; do
	command -v $t >/dev/null 2>&1 || say missing $t
done
[ -L "$root" ] && say changed
top=$root only=
if [ ! -d "$root" ]; then
	[ -e "$root" ] || say none
	[ "$what" = lines ] || say notdir
	[ -f "$root" ] || say irregular
	top=${root%/*} only=./${root##*/}
fi
cd -P -- "${top:-/}" 2>/dev/null || say denied
[ "$(readlink /proc/$$/cwd && echo .)" = "${top:-/}$N." ] || say changed
[ -r . ] || [ -n "$only" ] || say denied
base=${top%/}

# What is found, as arguments of find.
set -- .
[ -z "$depth" ] || set -- "$@" -maxdepth "$depth"
[ -n "$base" ] || set -- "$@" '(' -path ./proc -o -path ./sys -o -path ./dev ')' -prune -o
[ "$what" = names ] || set -- "$@" -name "*$N*" -prune -o
set -- "$@" ! -name .
[ -z "$name" ] || set -- "$@" -name "$name"

if [ "$what" = names ]; then
	echo ok
	find "$@" -type d -print0
	printf '\0'
	find "$@" ! -type d -print0 2>/dev/null
	exit 0
fi

text=-a
printf 'x\n' | grep -q -a x 2>/dev/null || text=
# Tells the lines of the open file 3, whose name is $1.
tell() {
	l=$(readlink /proc/self/fd/3 && echo .) || return
	[ "$l" = "$base/${1#./}$N." ] || return
	printf '%s\n' "$base/${1#./}"
	if [ "$(head -c 8000 </proc/self/fd/3 | tr -cd '\000' | wc -c)" -gt 0 ]; then
		echo binary
	else
		grep -n $text -E -e "$pattern" <&3
	fi
}
echo ok
if [ -n "$only" ]; then
	[ -r "$only" ] || echo 'Permission denied' >&2
	printf '%s\n' "$only"
else
	find "$@" -type f -print | sort | tr '\n' '\000' | xargs -0 grep -l $text -E -e "$pattern" -- /dev/null
fi | while IFS= read -r f; do
	[ -f "$f" ] && [ ! -L "$f" ] && [ -r "$f" ] && tell "$f" 3<"$f"
done
exit 0
