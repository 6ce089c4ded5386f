# Saves what the next command touches, and arms what brings it back.
set -u
umask 077
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export PATH
dir=
die() {
	echo "not armed: $*" >&2
	[ -z "$dir" ] || rm -rf "$dir"
	exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

base=/tmp
[ "$(id -u)" = 0 ] && [ -d /run ] && [ -w /run ] && base=/run
mkdir -m 700 "$base/nod-revert-$id" || die "no folder in $base"
dir=$base/nod-revert-$id
cd "$dir" || die "cannot go to $dir"

# keep PATH: a copy with mode and owner, or a note that there is none.
count=0
keep() {
	case $1 in /*) ;; *) die "where \"$1\" is, is not known" ;; esac
	if [ -L "$1" ] && [ -e "$1" ]; then
		keep "$(readlink -f "$1")"
	fi
	count=$((count + 1))
	printf '%s' "$1" >"path.$count"
	[ -e "$1" ] || [ -L "$1" ] || return 0
	set -- "$1" $(du -sk "$1" 2>/dev/null)
	[ "${2:-0}" -le 32768 ] || die "$1 is larger than 32 MiB"
	cp -a "$1" "saved.$count" || die "$1 cannot be saved"
}

save_network() {
	has ip || die "there is no ip (iproute2) to save the network with"
	ip -o link show >links && ip -o addr show >addresses || die "the network cannot be read"
	for family in 4 6; do
		ip -o -$family route show table all >"routes.$family" 2>/dev/null
		ip -$family rule show >"rules.$family" 2>/dev/null
	done
	:
}

save_firewall() {
	found=
	: >compat
	for tool in iptables ip6tables; do
		has "$tool-save" || continue
		if "$tool-save" >"$tool" 2>/dev/null && ! grep -q incompatible "$tool"; then
			found=yes
			"$tool" --version 2>/dev/null | grep -q nf_tables && echo "$tool" >>compat
		else
			rm -f "$tool"
		fi
	done
	if has nft; then
		nft list tables >/dev/null 2>&1 || die "nft cannot read the firewall"
		nft_tables >nft.tables
		while read -r family name; do
			nft list table "$family" "$name" || die "the table $name cannot be saved"
		done <nft.tables >nft.saved
		found=yes
	fi
	[ -n "$found" ] || die "there is neither iptables nor nft to save the firewall with"
}

save_service() {
	if [ -d /run/systemd/system ]; then
		for unit in ssh.service sshd.service ssh.socket sshd.socket dropbear.service; do
			echo "$unit $(systemctl is-active "$unit" 2>/dev/null) $(systemctl is-enabled "$unit" 2>/dev/null)"
		done >units
		return 0
	fi
	servers >listeners
	while read -r pid; do
		server_line "$pid"
	done <listeners >lines
	[ -s lines ] || die "no ssh server runs here that could be started again"
}

revert_script >revert || die "the revert cannot be written"
# The revert's own functions, for reading what it will compare with.
reading=yes
. ./revert
for aspect in $aspects; do
	"save_$aspect"
done
files
printf '%s' "$aspects" >aspects
printf '%s' "$count" >count
: >log
printf '%s' "$(($(date +%s) + after))" >due

arm_systemd() {
	[ "$(id -u)" = 0 ] && [ -d /run/systemd/system ] && has systemd-run || return 1
	echo systemd >means
	systemd-run --quiet --collect --unit="nod-revert-$id" --on-active="$after" --timer-property=AccuracySec=1s \
		/bin/sh "$dir/revert" "$dir" 2>arm.error && systemctl is-active --quiet "nod-revert-$id.timer"
}
arm_at() {
	has at && pid=$(cat /run/atd.pid 2>/dev/null) && kill -0 "$pid" 2>/dev/null || return 1
	echo at >means
	# At the minute: the revert itself waits for the rest.
	minutes=$((after / 60))
	echo "/bin/sh $dir/revert $dir" | at -M "now + $minutes minutes" 2>arm.error || return 1
	sed -n 's/^job \([0-9]*\) at .*/\1/p' arm.error >job
	[ -s job ]
}
arm_shell() {
	echo "a shell" >means
	session=
	has setsid && session=setsid
	$session nohup /bin/sh "$dir/revert" "$dir" wait </dev/null >/dev/null 2>&1 &
	for tick in 1 2 3 4 5 6 7 8 9 10; do
		[ -s pid ] && kill -0 "$(cat pid)" 2>/dev/null && return 0
		sleep 0.2 2>/dev/null || sleep 1
	done
	return 1
}
arm_systemd || arm_at || arm_shell || die "neither systemd-run nor at nor a shell could take it: $(cat arm.error 2>/dev/null)"
echo "nod-revert $id armed $after $(cat means)"
