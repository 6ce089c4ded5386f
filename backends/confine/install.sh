# Functions that put the helper of nod into a folder of its own. The caller calls nod_look,
# which leaves in $nod_r what is there or what is wanted, and then nod_put. They run in
# a shell that may go on to other things: they leave nothing behind but names with nod_.
# The caller has nod_take, which copies $1 bytes of standard input, or all of it, in the place
# of the shell, and nod_good, which reports whether the digest of the helper $1 is $nod_d, and
# it runs: what it says of this kernel is in $nod_c then.
nod_t='	'

# Puts into $nod_k when a process began (proc(5), stat); nothing if it has ended. It starts
# nothing: it is asked for each folder that is there. A name can hold lines and ") ".
nod_began() {
	nod_k='' nod_q=''
	while read -r nod_l; do nod_q=$nod_l; done 2>/dev/null <"/proc/$1/stat"
	set -- ${nod_q##*') '}
	[ $# -lt 20 ] || nod_k=${20}
}

# Puts into $nod_m which helper this processor needs. What /proc says costs no process.
nod_machine() {
	nod_m=
	while read -r nod_l; do
		case $nod_l in
		vendor_id*) nod_m=amd64 ;;
		CPU\ implementer* | BogoMIPS*) nod_m=arm64 ;;
		*) continue ;;
		esac
		break
	done 2>/dev/null </proc/cpuinfo
	case ${nod_m:-$(uname -m)} in
	x86_64 | amd64) nod_m=amd64 ;;
	aarch64 | arm64) nod_m=arm64 ;;
	*) return 1 ;;
	esac
}

# Finds the helper of another start on the same connection, if $1 is "kept". Its digest is $2
# for amd64 and $3 for arm64. The answer is its path, a tab, and what it says of this kernel;
# else "want PROCESSOR", or "none" and why not. Folders of connections that have ended go.
nod_look() {
	if ! nod_machine; then
		nod_r="none nod has no helper for the processor $(uname -m)"
		return
	fi
	nod_d=$2
	[ $nod_m = amd64 ] || nod_d=$3
	nod_began "$PPID"
	nod_mine=.nod-ro.$PPID.${nod_k:-0}
	if [ -n "$nod_k" ] && [ "$1" = kept ]; then
		nod_mine=$nod_mine.kept
		for nod_p in "$XDG_RUNTIME_DIR" /dev/shm /tmp /var/tmp "$HOME"; do
			for nod_f in "$nod_p/$nod_mine".*; do
				[ -O "$nod_f/cage" ] && nod_good "$nod_f/cage" || continue
				nod_r=$nod_f/cage$nod_t$nod_c
				return
			done
		done
	fi
	# The name of a folder says whose it is. That a process's number was given to another is
	# looked for in a few: it is rare, and looking is slow where there are hundreds.
	nod_e=8
	for nod_p in "$XDG_RUNTIME_DIR" /dev/shm /tmp /var/tmp "$HOME"; do
		case $nod_p in /*) ;; *) continue ;; esac
		for nod_f in "$nod_p"/.nod-ro.*; do
			[ -O "$nod_f" ] || continue
			nod_w=${nod_f##*/.nod-ro.}
			nod_s=${nod_w#*.}
			nod_w=${nod_w%%.*}
			if [ -d "/proc/$nod_w" ]; then
				[ $nod_e -gt 0 ] || continue
				nod_e=$((nod_e - 1))
				nod_began "$nod_w"
				[ "${nod_s%%.*}" != "$nod_k" ] || continue
			fi
			rm -rf "$nod_f"
		done
	done
	nod_r="want $nod_m"
}

# Reads the helper, of $2 bytes, from standard input into a folder with $3 in its name, in the
# first place behind number $1 that takes it. The answer is that of nod_look; "next N" where
# the folder does not let it run, and the places behind N are to be tried with another copy;
# "memory", the interpreter that can run it from memory, and the processor; or "none" and
# why not.
nod_put() {
	nod_e=0
	for nod_p in "$XDG_RUNTIME_DIR" /dev/shm /tmp /var/tmp "$HOME"; do
		nod_e=$((nod_e + 1))
		[ $nod_e -gt "$1" ] || continue
		case $nod_p in /*) ;; *) continue ;; esac
		nod_f=$nod_p/$nod_mine.$3
		(umask 077 && mkdir "$nod_f") 2>/dev/null || continue
		(umask 077 && nod_take "$2" >"$nod_f/cage") 2>/dev/null && chmod 500 "$nod_f/cage" 2>/dev/null &&
			nod_good "$nod_f/cage" && nod_r=$nod_f/cage$nod_t$nod_c && return
		rm -rf "$nod_f"
		nod_r="next $nod_e"
		return
	done
	(nod_take "$2") >/dev/null 2>&1
	for nod_p in python3 perl; do
		if command -v $nod_p >/dev/null 2>&1; then
			nod_r="memory $nod_p $nod_m"
			return
		fi
	done
	nod_r='none no folder there lets programs run, and neither python3 nor perl is there to run one from memory'
}
