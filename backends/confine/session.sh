# Installs the helper in a session of its own: see install.sh. $1 says whether it is kept, $2
# and $3 are the digests of what is sent for amd64 and arm64, $4 is the place to begin behind,
# $5 a part of the folder's name. What is wanted is asked for, and read to its end.
nod_take() { exec cat; }
nod_good() { case $(sha256sum <"$1") in "$nod_d "*) nod_c=$("$1" '?' 2>/dev/null) ;; *) return 1 ;; esac; }
nod_look "$1" "$2" "$3"
case $nod_r in
"want "*)
	printf '%s\n' "$nod_r"
	trap 'rm -rf "$nod_f"; exit 1' HUP INT TERM # nod has gone
	nod_put "$4" 0 "$5"
	;;
esac
printf '%s\n' "$nod_r"
