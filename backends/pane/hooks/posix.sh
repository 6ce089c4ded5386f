if [ -n "${BASH_VERSION-}" ]; then
eval '
__nod_c=$'\''\e]7;nod:NONCE:run\a\e]133;C;h=NONCE\a'\''
__nod_b=$'\''\e]133;B;h=NONCE\a'\''
__nod_p=$'\''\e]133;P;h=NONCE\a'\''
__nod_d() { local s=$?; builtin printf "\e]133;D;%s;h=NONCE\a\e]7;nod:NONCE:%s\a" "$s" "$s"; return "$s"; }
__nod_q() { local s=$?
  [[ ${PS1-} == *__nod_b* ]] || PS1+='\''\[${__nod_b}\]'\''
  [[ ${PS2-} == *__nod_p* ]] || PS2+='\''\[${__nod_p}\]'\''
  return "$s"; }
__nod_t=$(command -v tmux) __nod_x=${TMUX-}
__nod_r() { TMUX=$__nod_x "$__nod_t" show-buffer -b nod-NAME || builtin printf "(exit 127)"; }
__nod_k=old
if ((BASH_VERSINFO[0]>4 || (BASH_VERSINFO[0]==4 && BASH_VERSINFO[1]>=4))); then
  __nod_k=bash
  [[ ${PS0-} == *__nod_c* ]] || PS0='\''${__nod_c}'\''"${PS0-}"
else
  __nod_f() { builtin printf %s "$__nod_c"; }
fi
case "${PROMPT_COMMAND[*]-}" in
*__nod_d*) ;;
*) if ((BASH_VERSINFO[0]>5 || (BASH_VERSINFO[0]==5 && BASH_VERSINFO[1]>=1))); then
    PROMPT_COMMAND=(__nod_d "${PROMPT_COMMAND[@]}" __nod_q)
  else
    PROMPT_COMMAND="__nod_d${PROMPT_COMMAND:+;$PROMPT_COMMAND};__nod_q"
  fi ;;
esac
case "${HISTIGNORE-}" in
*__nod_*) ;;
*) HISTIGNORE="${HISTIGNORE:+$HISTIGNORE:}*__nod_[fr]*" ;;
esac
__nod_h=$(HISTTIMEFORMAT= builtin history 1)
[[ $__nod_h == *nod-NAME* ]] && read -r __nod_h _ <<<"$__nod_h" && builtin history -d "${__nod_h%\*}"
unset __nod_h
builtin printf "FIRST\e]133;R;%s;h=NONCE\a" "$__nod_k"
'
else
__nod_f() { printf '\033]7;nod:NONCE:run\007\033]133;C;h=NONCE\007'; }
__nod_t="$(command -v tmux)" __nod_x="${TMUX-}"
__nod_r() { TMUX="$__nod_x" "$__nod_t" show-buffer -b nod-NAME || printf '(exit 127)'; }
__nod_i= __nod_j=
case "$(readlink "/proc/$$/exe" 2>/dev/null)" in */busybox*) __nod_i='\[' __nod_j='\]';; esac
__nod_d="$__nod_i$(printf '\033]133;D;')"
__nod_e="$(printf ';h=NONCE\007\033]7;nod:NONCE:')"
__nod_g="$(printf '\007')$__nod_j"
__nod_b="$__nod_i$(printf '\033]133;B;h=NONCE\007')$__nod_j"
__nod_p="$__nod_i$(printf '\033]133;P;h=NONCE\007')$__nod_j"
case "${PS1-}" in *__nod_*) ;; *) PS1='${__nod_d}$?${__nod_e}$?${__nod_g}'"${PS1-}"'${__nod_b}';; esac
case "${PS2-}" in *__nod_*) ;; *) PS2="${PS2-}"'${__nod_p}';; esac
printf 'FIRST\033]133;R;sh;h=NONCE\007'
fi
