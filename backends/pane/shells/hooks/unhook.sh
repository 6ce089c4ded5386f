case $- in *a*) set +a; __nod_x=-a;; *) __nod_x=+a;; esac
__nod_u() {
  __nod_v=$1
  if [ "$1" = "$3" ]; then __nod_v=$2; return; fi
  if [ -n "$2" ]; then __nod_w=${3%%"$2"*} __nod_z=${3#*"$2"}; else __nod_w=$3 __nod_z=; fi
  if [ -n "$__nod_w" ]; then case $__nod_v in
    *"$__nod_w"*) __nod_v=${__nod_v%%"$__nod_w"*}${__nod_v#*"$__nod_w"};;
  esac; fi
  if [ -n "$__nod_z" ]; then case $__nod_v in
    *"$__nod_z"*) __nod_v=${__nod_v%%"$__nod_z"*}${__nod_v#*"$__nod_z"};;
  esac; fi
}
__nod_u "${PS1-}" "${__nod_y1-}" "${__nod_y3-}"
PS1=$__nod_v
__nod_u "${PS2-}" "${__nod_y2-}" "${__nod_y4-}"
PS2=$__nod_v
set "$__nod_x"
unset -f NAMES
unset NAMES
\command printf 'FAREWELL' >&2
