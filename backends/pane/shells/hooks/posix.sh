if [ ! -t 2 ]; then
\command printf 'FIRST\033]133;R;away,%s;h=NONCE\007' "$$"
elif ! (PS1='' PS2='') 2>/dev/null; then
\command printf 'FIRST\033]133;R;mute,%s;h=NONCE\007' "$$" >&2
else
__nod_p=0 __nod_v=0 __nod_m=0
__nod_w() { \command printf %s "$1"; }
__nod_i='' __nod_j='' __nod_k=sh __nod_c=''
case "${KSH_VERSION-}" in
*MIRBSD*|*LEGACY*)
  __nod_k=mksh __nod_c="$(\command printf '\r')" __nod_i="$(\command printf '\001')"
  case "${PS1-}" in
  *__nod_*) __nod_i="${PS1%"${PS1#?}"}" ;;
  ?"$__nod_c"*) __nod_i="${PS1%"${PS1#?}"}"; PS1="${PS1#??}" ;;
  esac
  __nod_j="$__nod_i" __nod_c="$__nod_i$__nod_c"
  __nod_w() { print -nr -- "$1"; } ;;
*93*) __nod_k=ksh ;;
*) case "$(readlink "/proc/$$/exe" 2>/dev/null)" in */busybox*) __nod_k=ash __nod_i='\[' __nod_j='\]' ;; esac ;;
esac
__nod_t="$(\unalias tmux 2>/dev/null; \command -v tmux)" __nod_x="${TMUX-}"
__nod_r() {
  { set +x; } 2>/dev/null
  TMUX="$__nod_x" "$__nod_t" show-buffer -b nod-NAME || __nod_w '(exit 127)'
  __nod_w "$__nod_g${__nod_e%"$__nod_j"}" >&2
}
__nod_s="$__nod_i$(\command printf '\033]7;nod:NONCE:')"
__nod_d="$(\command printf ',\007\033]133;D;')"
__nod_e="$(\command printf ';h=NONCE\007')$__nod_j"
__nod_g="$(\command printf '\033]133;C')"
__nod_b="$__nod_i$(\command printf '\033]133;B')"
__nod_h="$(\command printf ';h=SECOND\007')$__nod_j"
case "${PS1-}" in *__nod_*) ;; *)
PS1="$__nod_c"'${__nod_s:+${__nod_s}$((__nod_p=__nod_p+1)):$?:$((__nod_p))=$(((__nod_m=__nod_m%262144*512+__nod_v/262144)*0+(__nod_v=__nod_v%262144*512+$?)%512)),$((__nod_p-1))=$((__nod_v/512%512)),$((__nod_p-2))=$((__nod_v/262144)),$((__nod_p-3))=$((__nod_m%512)),$((__nod_p-4))=$((__nod_m/512%512)),$((__nod_p-5))=$((__nod_m/262144))${__nod_d}$?${__nod_e}}'"${PS1-}"'${__nod_b-}${__nod_h-}';;
esac
__nod_o="$__nod_i$(\command printf '\033]133;P')"
case "$__nod_k" in
sh|ash) case "${PS2-}" in *__nod_*) ;; *) PS2="${PS2-}"'${__nod_o-}${__nod_h-}' ;; esac ;;
*)
  __nod_o="$(\command printf '\033]133;P;h=')"
  case "${PS2-}" in
  *"$__nod_o"*) PS2="${PS2%%"$__nod_i$__nod_o"*}${PS2##*"$__nod_o"????????????????????????"$(\command printf '\007')$__nod_j"}" ;;
  esac
  if [ "$__nod_k" = mksh ]; then
    case "${PS2-}" in
    ?"${__nod_c#?}"*) __nod_i="${PS2%"${PS2#?}"}" __nod_j="$__nod_i" ;;
    *) PS2="$__nod_c${PS2-}" ;;
    esac
  fi
  PS2="${PS2-}$__nod_i${__nod_o}SECOND$(\command printf '\007')$__nod_j" ;;
esac
\command printf 'FIRST\033]133;R;%s,%s;h=NONCE\007' "$__nod_k" "$$" >&2
fi
