if [[ $- == *r* ]]; then
builtin printf "FIRST\e]133;R;restricted,%s;h=NONCE\a" "$$"
elif [[ ! -t 1 ]]; then
builtin printf "FIRST\e]133;R;away,%s;h=NONCE\a" "$$" >&2
elif [[ ! -t 2 ]]; then
builtin printf "FIRST\e]133;R;away,%s;h=NONCE\a" "$$"
elif ! (builtin printf -v PS2 %s x) 2>/dev/null; then
builtin printf "FIRST\e]133;R;mute,%s;h=NONCE\a" "$$"
else
__nod_s=$'\e]7;nod:NONCE:'
__nod_m=$'\a\e]133;D;'
__nod_n=$';h=NONCE\a'
__nod_g=$'\a\e]133;C'
__nod_b=$'\e]133;B;h=SECOND\a'
__nod_o=$'\e]133;P;h=SECOND\a'
__nod_2=';k3;k4;k5;k6' __nod_5=0 __nod_6='' __nod_c=0 __nod_w=0 __nod_p=0 __nod_l='' __nod_i=0:run: __nod_e=''
__nod_j() { __nod_w=$__nod_c; }
if ((BASH_VERSINFO[0]>4 || (BASH_VERSINFO[0]==4 && BASH_VERSINFO[1]>=4))); then
  __nod_j() { local n="\\#"; __nod_w=${n@P}; }
fi
__nod_j
__nod_u='{ __nod_d; } 2>/dev/null' __nod_v='{ __nod_q; } 2>/dev/null'
__nod_4=
if ((BASH_VERSINFO[0]>4 || (BASH_VERSINFO[0]==4 && BASH_VERSINFO[1]>=4))); then __nod_4=1; fi
__nod_d() { local s=${1-$?} x="~" w=$__nod_w
  if [[ -n $__nod_4 ]]; then local -; set +x; fi
  __nod_j
  [[ $w == "$__nod_w" ]] || x="="
  __nod_e=1 __nod_p=$((__nod_p+1))
  __nod_l=$__nod_p$x$s,${__nod_l:0:KEPT}
  __nod_i=$__nod_p:run:$__nod_l
  local k=${__nod_2:$((__nod_5?__nod_5*3-9:99)):3}
  [[ -z $__nod_6 || ( ! -o emacs && ! -o vi ) ]] || k+=";e"
  builtin printf %s "$__nod_s$__nod_p:$s:$__nod_l$__nod_m$s$k$__nod_n"
  __nod_5=0
  return "$s"; }
__nod_q() { local s=$?
  if [[ -n $__nod_4 ]]; then local -; set +x; fi
  [[ -n $__nod_e ]] || __nod_d "$s"
  __nod_e=
  [[ "${PROMPT_COMMAND[*]-}" == *__nod_d* ]] || __nod_a
  [[ $__nod_k == old || ${PS0-} == *__nod_g* ]] || builtin printf -v PS0 %s "$__nod_0${PS0-}" 2>/dev/null
  [[ ${PS1-} == *__nod_b* ]] || builtin printf -v PS1 %s "${PS1-}\[\${__nod_b-}\]" 2>/dev/null
  [[ ${PS2-} == *__nod_o* ]] || builtin printf -v PS2 %s "${PS2-}\[\${__nod_o-}\]" 2>/dev/null
  return "$s"; }
__nod_t=$(builtin type -P tmux) __nod_x=${TMUX-}
__nod_r() { { set +x; } 2>/dev/null; TMUX=$__nod_x "$__nod_t" show-buffer -b nod-NAME || builtin printf "(exit 127)"; }
__nod_0='${__nod_s-}${__nod_i-}${__nod_g-}${__nod_2:$((__nod_5?__nod_5*3-9:99)):3}${__nod_n-}'
__nod_k=old
__nod_f() { __nod_c=$((__nod_c+1)); builtin printf %s "$__nod_s$__nod_i$__nod_g$__nod_n"; }
if ((BASH_VERSINFO[0]>4 || (BASH_VERSINFO[0]==4 && BASH_VERSINFO[1]>=4))); then
  if [[ ${PS0-} == *__nod_g* ]] || builtin printf -v PS0 %s "$__nod_0${PS0-}" 2>/dev/null; then __nod_k=bash; fi
fi
if ((BASH_VERSINFO[0]>5 || (BASH_VERSINFO[0]==5 && BASH_VERSINFO[1]>=1))); then
  __nod_a() { local c w=()
    for c in "${PROMPT_COMMAND[@]}"; do
      [[ $c == "$__nod_u" || $c == "$__nod_v" ]] || w+=("$c")
    done
    PROMPT_COMMAND=("$__nod_u" "${w[@]}" "$__nod_v"); }
else
  __nod_a() { local w=${PROMPT_COMMAND-}
    w=${w#"$__nod_u;"} w=${w%";$__nod_v"}
    PROMPT_COMMAND="$__nod_u${w:+;$w};$__nod_v"; }
fi
if [[ "${PROMPT_COMMAND[*]-}" == *__nod_d* ]]; then :
elif builtin printf -v PROMPT_COMMAND %s "${PROMPT_COMMAND-}" 2>/dev/null; then __nod_a
elif ((BASH_VERSINFO[0]>4 || (BASH_VERSINFO[0]==4 && BASH_VERSINFO[1]>=4))); then
  __nod_7="~="
  __nod_9='${__nod_s-}$((__nod_p+=1)):$?:${__nod_p}${__nod_7:$((__nod_w!=\#)):1}$?,${__nod_m-}$?${__nod_2:$((__nod_5?__nod_5*3-9:99)):3}${__nod_6:+;e}${__nod_n-}${__nod_7:$((__nod_w=\#,__nod_5=0,0)):0}'
  [[ ${PS1-} == *__nod_9* ]] || builtin printf -v PS1 %s '\[${__nod_9@P}\]'"${PS1-}" 2>/dev/null || __nod_k=mute
  [[ ${PS1-} == *__nod_b* ]] || builtin printf -v PS1 %s "${PS1-}\[\${__nod_b-}\]" 2>/dev/null
  [[ ${PS2-} == *__nod_o* ]] || builtin printf -v PS2 %s "${PS2-}\[\${__nod_o-}\]" 2>/dev/null
else
  __nod_k=mute
fi
if [[ $__nod_k == bash && ( -o emacs || -o vi ) ]]; then
  __nod_6=1
  for __nod_1 in emacs-standard vi-insert vi-command; do
    for __nod_8 in 3 4 5 6; do
      builtin bind -m "$__nod_1" -x "\"\\e[13$__nod_8~\": ((__nod_5=$__nod_8)) 2>/dev/null" 2>/dev/null || __nod_6=
    done
    builtin bind -m "$__nod_1" '"\e[138~": ""' 2>/dev/null || __nod_6=
  done
  builtin bind -m vi-command '"\e[138~": vi-insertion-mode' 2>/dev/null || __nod_6=
fi
case "${HISTIGNORE-}" in
*__nod_*) ;;
*) HISTIGNORE="${HISTIGNORE:+$HISTIGNORE:}*__nod_[fr]*" ;;
esac
__nod_h=$(HISTTIMEFORMAT='' builtin history 1)
[[ $__nod_h == *nod-NAME* ]] && read -r __nod_h _ <<<"$__nod_h" && builtin history -d "${__nod_h%\*}"
unset __nod_h __nod_1 __nod_8
builtin printf "FIRST\e]133;R;%s,%s%s;h=NONCE\a" "$__nod_k" "$$" "${__nod_6:+;e}"
fi
