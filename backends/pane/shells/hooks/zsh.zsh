if [[ ! -t 1 ]]; then
builtin printf "FIRST\e]133;R;away,%s;h=NONCE\a" $$ >&2
elif [[ ${(t)PS2} == *readonly* ]]; then
builtin printf "FIRST\e]133;R;mute,%s;h=NONCE\a" $$
else
typeset -g +x __nod_s=$'\e]7;nod:NONCE:' __nod_n=$';h=NONCE\a'
typeset -g +x __nod_m=$'\a\e]133;D;' __nod_g=$'\a\e]133;C'
typeset -g +x __nod_t=${commands[tmux]} __nod_x=${TMUX-} __nod_l= __nod_w= __nod_v=
typeset -gi +x __nod_p=0
__nod_c() { { setopt localoptions noxtrace } 2>/dev/null; __nod_w=1; builtin printf "%s%s:run:%s%s%s%s" $__nod_s $__nod_p "$__nod_l" $__nod_g "$__nod_v" $__nod_n }
__nod_d() { { local s=$? x="~"; setopt localoptions noxtrace } 2>/dev/null
  [[ -n ${preexec_functions[(r)__nod_c]} ]] || { x="?"; preexec_functions+=(__nod_c) }
  [[ -z $__nod_w ]] || x="="
  __nod_w=
  (( __nod_p += 1 ))
  __nod_l=$__nod_p$x$s,${__nod_l[1,KEPT]}
  [[ -o zle ]] && __nod_v+=";e"
  builtin printf "%s%s:%s:%s%s%s%s%s" $__nod_s $__nod_p $s $__nod_l $__nod_m $s "$__nod_v" $__nod_n
  __nod_v=
  return $s }
__nod_q() { { local s=$?; setopt localoptions noxtrace } 2>/dev/null
  [[ ${PS1-} == *";h=SECOND"* || ${(t)PS1} == *readonly* ]] || PS1+=$'%{\e]133;B;h=SECOND\a%}'
  [[ ${PS2-} == *";h=SECOND"* ]] || PS2+=$'%{\e]133;P;h=SECOND\a%}'
  return $s }
__nod_r() { { unsetopt xtrace } 2>/dev/null; TMUX=$__nod_x "$__nod_t" show-buffer -b nod-NAME || builtin printf "(exit 127)" }
__nod_z() { { setopt localoptions noxtrace } 2>/dev/null; __nod_v=";k${KEYS[5]}"; zle accept-line }
zle -N __nod_z
() { local m k
  for m in emacs viins vicmd; do
    for k in 3 4 5 6; do bindkey -M $m "\e[13$k~" __nod_z; done
  done }
__nod_a() { { setopt localoptions noxtrace } 2>/dev/null; [[ $1 != *__nod_r* ]] }
typeset -ga preexec_functions precmd_functions zshaddhistory_functions
preexec_functions=(${preexec_functions:#__nod_*} __nod_c)
precmd_functions=(__nod_d ${precmd_functions:#__nod_*} __nod_q)
zshaddhistory_functions=(${zshaddhistory_functions:#__nod_*} __nod_a)
[[ ${(t)PS1} == *readonly* ]] || { PS1=${PS1-}; PS1=${PS1%%$'%{\e]133;B;'*} }
PS2=${PS2-}; PS2=${PS2%%$'%{\e]133;P;'*}
(( ${+PROMPT_EOL_MARK} )) || typeset -g PROMPT_EOL_MARK="%B%S%#%s%b"
typeset -g +x PROMPT_EOL_MARK=$'%{\e]133;E;h=NONCE\a%}'"${PROMPT_EOL_MARK#$'%{\e]133;E;'*%\}}"
[[ -o zle ]] && __nod_v=";e"
builtin printf "FIRST\e]133;R;zsh,%s%s%s" $$ "$__nod_v" $__nod_n
__nod_v=
fi
