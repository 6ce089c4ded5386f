# Finds the program $nod_p: search path $nod_P, from directory $nod_d. What is
# missing is told with nod_say, and ends the script. Nothing here forks.
if [ -n "$nod_d" ]; then
	cd -- "$nod_d" 2>/dev/null || {
		if [ -d "$nod_d" ]; then nod_say dir denied; elif [ -e "$nod_d" ]; then nod_say dir notdir; else nod_say dir none; fi
		exit 0
	}
fi
nod_x=$nod_p nod_w=
case $nod_p in
*/*)
	if [ ! -e "$nod_p" ]; then nod_say program none; exit 0; fi
	if [ ! -f "$nod_p" ] || [ ! -x "$nod_p" ]; then nod_say program denied; exit 0; fi
	;;
*)
	nod_f= nod_b=
	set -f
	IFS=:
	for nod_q in $nod_P; do
		case $nod_q in
		/*)
			if [ -f "$nod_q/$nod_p" ]; then
				if [ -x "$nod_q/$nod_p" ]; then nod_f=$nod_q/$nod_p; break; fi
				nod_b=1
			fi
			;;
		*) nod_w=1 ;;
		esac
	done
	unset IFS
	set +f
	if [ -z "$nod_f" ]; then
		if [ -n "$nod_b" ]; then nod_say program denied; else nod_say program none; fi
		exit 0
	fi
	# By the name that was given, unless that would be found in another place
	# or be taken for something else.
	case $nod_w$nod_p in
	1* | -* | *=*) nod_x=$nod_f ;;
	esac
	;;
esac
