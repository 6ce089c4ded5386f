# Brings back what was saved in the folder $1.

# ---- what is there, for saving and for comparing
netns() { readlink "/proc/$1/ns/net" 2>/dev/null; }
# The ssh servers that listen in this network: not their children.
servers() {
	for p in /proc/[0-9]*; do
		p=${p#/proc/}
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" = sshd ] && [ "$(netns "$p")" = "$(netns self)" ] || continue
		read -r _ _ _ parent _ <"/proc/$p/stat" 2>/dev/null || continue
		[ "$(cat "/proc/$parent/comm" 2>/dev/null)" = sshd ] || echo "$p"
	done
}
# sshd writes over its arguments: "sshd: /usr/sbin/sshd -D [listener] 0 of …".
server_line() { tr '\0' ' ' <"/proc/$1/cmdline" | sed -e 's/^sshd: //' -e 's/ \[listener\].*//' -e 's/ *$//' && echo; }
# Tables that are not iptables' own.
nft_tables() {
	nft list tables 2>/dev/null | while read -r _ family name; do
		case "$family $name" in
		'ip filter' | 'ip nat' | 'ip mangle' | 'ip raw' | 'ip security') grep -q '^iptables$' compat && continue ;;
		'ip6 filter' | 'ip6 nat' | 'ip6 mangle' | 'ip6 raw' | 'ip6 security') grep -q '^ip6tables$' compat && continue ;;
		esac
		echo "$family $name"
	done
}
bare_rules() { sed -e '/^#/d' -e 's/ *\[[0-9]*:[0-9]*\]$//' "$1"; }
# Routes without what changes by itself, and without those that the kernel keeps.
bare_routes() {
	sed -e 's/\\//g' -e 's/ linkdown//g' -e 's/ dead//g' -e 's/ expires [0-9]*sec//' -e 's/ error -[0-9]*//' -e 's/ pref medium//' -e 's/[ 	][ 	]*/ /g' -e 's/ $//' "$1" |
		grep -v -e '^local ' -e '^broadcast ' -e '^anycast ' -e '^multicast ' -e 'table local' -e '^ff00::' -e '^fe80::/64 .*proto kernel'
}

if [ "${reading-}" != yes ]; then
	set -u
	umask 077
	PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
	export PATH
	dir=$1
	cd "$dir" || exit 1
	if [ "${2-}" = wait ]; then
		echo $$ >pid
		sleep "$(($(cat due) - $(date +%s)))"
	fi
	# at knows only minutes
	while [ "$(cat means)" = at ] && [ "$(date +%s)" -lt "$(cat due)" ]; do sleep 1; done
	ln -s revert taken 2>/dev/null || exit 0

	exec 3>>log
	say() { echo "$*" >&3; }
	try() { # WHAT COMMAND...
		what=$1
		shift
		if said=$("$@" 2>&1); then say "$what"; else say "FAILED: $what: $said"; fi
	}

	# ---- files
	same() {
		if [ -L "$1" ] || [ -L "$2" ]; then
			[ "$(readlink "$1")" = "$(readlink "$2")" ]
		elif [ -d "$1" ] || [ -d "$2" ]; then
			[ -d "$1" ] && [ -d "$2" ] && [ "$(stat -c %a:%u:%g "$1")" = "$(stat -c %a:%u:%g "$2")" ]
		else
			cmp -s "$1" "$2" && [ "$(stat -c %a:%u:%g "$1")" = "$(stat -c %a:%u:%g "$2")" ]
		fi
	}
	there() { [ -e "$1" ] || [ -L "$1" ]; }
	put() { # SAVED PATH: one thing, in one step
		same "$1" "$2" && return 0
		if [ -d "$1" ] && [ ! -L "$1" ]; then
			if [ ! -d "$2" ] || [ -L "$2" ]; then rm -rf "$2"; fi
			mkdir -p "$2" && chmod "$(stat -c %a "$1")" "$2" && chown "$(stat -c %u:%g "$1")" "$2"
		else
			if [ -d "$2" ] && [ ! -L "$2" ]; then rm -rf "$2"; fi
			cp -a "$1" "$2.nod-revert" && mv -f "$2.nod-revert" "$2"
		fi
	}
	put_back() { # SAVED PATH
		if ! there "$1"; then
			there "$2" && try "removed $2" rm -rf "$2"
			return 0
		fi
		same "$1" "$2" || try "restored $2" put "$1" "$2"
		if [ ! -d "$1" ] || [ -L "$1" ]; then return 0; fi
		(cd "$2" && find . -mindepth 1 -depth) | while IFS= read -r name; do
			there "$1/$name" || try "removed $2/${name#./}" rm -rf "$2/$name"
		done
		(cd "$1" && find . -mindepth 1) | while IFS= read -r name; do
			same "$1/$name" "$2/$name" || try "restored $2/${name#./}" put "$1/$name" "$2/$name"
		done
	}

	# ---- the ssh service
	start_servers() {
		if [ -e units ]; then
			while read -r unit active enabled; do
				now=$(systemctl is-enabled "$unit" 2>/dev/null)
				case $now in masked*) [ "$now" = "$enabled" ] || try "unmasked $unit" systemctl unmask "$unit" ;; esac
				[ "$enabled" = enabled ] && [ "$now" != enabled ] && try "enabled $unit" systemctl enable "$unit"
				[ "$active" = active ] && ! systemctl is-active --quiet "$unit" && try "started $unit" systemctl start "$unit"
			done <units
		elif [ -s lines ] && [ -z "$(servers)" ]; then
			while read -r line; do
				# shellcheck disable=SC2086 # it is a command line
				setsid $line </dev/null >/dev/null 2>&1 3>&- &
				say "started $line"
			done <lines
		fi
	}
	reload_servers() {
		if [ -d /run/systemd/system ]; then
			if ! said=$(sshd -t 2>&1); then
				say "FAILED: sshd does not accept its configuration: $said"
				return 0
			fi
			for unit in ssh.service sshd.service; do
				systemctl is-active --quiet "$unit" && try "reloaded $unit" systemctl reload "$unit"
			done
			return 0
		fi
		for p in $(servers); do
			line=$(server_line "$p")
			# shellcheck disable=SC2086 # it is a command line
			if said=$($line -t 2>&1); then
				try "reloaded sshd" kill -HUP "$p"
			else
				say "FAILED: sshd does not accept its configuration: $said"
			fi
		done
	}

	# ---- the network
	link_flags() { echo "$1" | sed -n 's/^[0-9]*: \([^:@]*\)[^<]*<\([^>]*\)>.*mtu \([0-9]*\).*/\1 ,\2, \3/p'; }
	links_back() {
		while IFS= read -r line; do
			link_flags "$line"
		done <links | while read -r name flags mtu; do
			now=$(link_flags "$(ip -o link show dev "$name" 2>/dev/null)")
			if [ -z "$now" ]; then
				say "FAILED: the link $name is gone"
				continue
			fi
			was=down is=down
			case $flags in *,UP,*) was=up ;; esac
			case $now in *,UP,*) is=up ;; esac
			[ "${now##* }" = "$mtu" ] || try "link $name mtu $mtu" ip link set dev "$name" mtu "$mtu"
			[ "$was" = "$is" ] || try "link $name $was" ip link set dev "$name" "$was"
		done
	}
	address() { # a line of "ip -o addr" as: DEVICE FAMILY ADDRESS [peer P] [broadcast B] [scope S] [noprefixroute]
		# shellcheck disable=SC2086 # to be split
		set -- $1
		[ "$3" = inet ] || [ "$3" = inet6 ] || return 0
		case "$* " in *' scope link '* | *' temporary '* | *' tentative '*) [ "$3" = inet6 ] && return 0 ;; esac
		printf '%s %s %s' "$2" "$3" "$4"
		shift 4
		while [ $# -gt 0 ]; do
			case $1 in
			peer | scope) printf ' %s %s' "$1" "$2" && shift ;;
			brd) printf ' broadcast %s' "$2" && shift ;;
			noprefixroute) printf ' noprefixroute' ;;
			esac
			shift
		done
		echo
	}
	all_addresses() { while IFS= read -r line; do address "$line"; done | sort; }
	addresses_back() {
		all_addresses <addresses >addresses.was
		ip -o addr show | all_addresses >addresses.is
		grep -v -x -F -f addresses.was addresses.is | while read -r device _ prefix rest; do
			try "address removed: $prefix on $device" ip addr del "$prefix" dev "$device"
		done
		grep -v -x -F -f addresses.is addresses.was | while read -r device _ prefix rest; do
			# An address of IPv6 is to work at once, not after a search for others.
			case $prefix in *:*) rest="$rest nodad" ;; esac
			# shellcheck disable=SC2086 # to be split
			try "address added: $prefix on $device" ip addr add "$prefix" $rest dev "$device"
		done
	}
	routes_back() { # FAMILY
		bare_routes "routes.$1" >routes.was
		ip -o -"$1" route show table all >routes.now 2>/dev/null
		bare_routes routes.now >routes.is
		# Those without a gateway first, for the others are reached by them.
		for with in -v -e; do
			grep -v -x -F -f routes.is routes.was | grep $with ' via ' | while IFS= read -r route; do
				# shellcheck disable=SC2086 # to be split
				try "route added: $route" ip -"$1" route replace $route
			done
			ip -o -"$1" route show table all >routes.now 2>/dev/null
			bare_routes routes.now >routes.is
		done
		grep -v -x -F -f routes.was routes.is | while IFS= read -r route; do
			# shellcheck disable=SC2086 # to be split
			try "route removed: $route" ip -"$1" route del $route
		done
	}
	rules_back() { # FAMILY
		ip -"$1" rule show >rules.is 2>/dev/null || return 0
		grep -v -x -F -f rules.is "rules.$1" | while IFS= read -r rule; do
			# shellcheck disable=SC2086 # to be split
			try "rule added: $rule" ip -"$1" rule add pref ${rule%%:*} ${rule#*:}
		done
		grep -v -x -F -f "rules.$1" rules.is | while IFS= read -r rule; do
			# shellcheck disable=SC2086 # to be split
			try "rule removed: $rule" ip -"$1" rule del pref ${rule%%:*} ${rule#*:}
		done
	}

	# ---- the firewall
	nft_back() {
		nft_tables >nft.now
		while read -r family name; do nft list table "$family" "$name"; done <nft.now >nft.is 2>/dev/null
		sed 's/packets [0-9]* bytes [0-9]*//' nft.is >nft.is.bare
		sed 's/packets [0-9]* bytes [0-9]*//' nft.saved >nft.saved.bare
		cmp -s nft.is.bare nft.saved.bare && return 0
		{
			sed 's/^/delete table /' nft.now
			cat nft.saved
		} >nft.load
		try "nftables restored" nft -f nft.load
	}
	iptables_back() { # TOOL
		"$1-save" >now 2>/dev/null
		bare_rules now >now.bare
		bare_rules "$1" >was.bare
		cmp -s now.bare was.bare && return 0
		# Tables that were not there are emptied: their own chains accept.
		sed -n 's/^\*//p' now | while read -r table; do
			grep -q "^\*$table\$" "$1" && continue
			echo "*$table"
			sed -n "/^\*$table\$/,/^COMMIT/p" now | sed -n 's/^:\([^ ]*\) [A-Z][A-Z]* .*/:\1 ACCEPT [0:0]/p'
			echo COMMIT
		done >load
		cat "$1" >>load
		try "$1 restored" "$1-restore" load
	}

	say "reverting at $(date '+%H:%M:%S')"
	number=1
	while [ "$number" -le "$(cat count)" ]; do
		put_back "$dir/saved.$number" "$(cat "path.$number")"
		number=$((number + 1))
	done
	case " $(cat aspects) " in *' service '*) start_servers ;; esac
	grep -q ' /etc/ssh' log && reload_servers
	case " $(cat aspects) " in *' network '*)
		links_back
		addresses_back
		for family in 4 6; do rules_back "$family" && routes_back "$family"; done
		;;
	esac
	case " $(cat aspects) " in *' firewall '*)
		[ -e nft.saved ] && nft_back
		for tool in iptables ip6tables; do [ -e "$tool" ] && iptables_back "$tool"; done
		;;
	esac
	say "done at $(date '+%H:%M:%S')"
	rm -rf saved.* nft.* # the copies hold what others must not read
	: >done
fi
