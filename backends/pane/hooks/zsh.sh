emulate zsh -c '
typeset -g __nod_s=$'\''\e]133;'\'' __nod_n=$'\'';h=NONCE\a'\''
typeset -g __nod_t=${commands[tmux]} __nod_x=${TMUX-}
__nod_c() { builtin printf "%sC%s\e]7;nod:NONCE:run\a" $__nod_s $__nod_n }
__nod_d() { local s=$?; builtin printf "%sD;%s%s\e]7;nod:NONCE:%s\a" $__nod_s $s $__nod_n $s; return $s }
__nod_q() { local s=$?
  [[ ${PS1-} == *$__nod_n* ]] || PS1+="%{${__nod_s}B$__nod_n%}"
  [[ ${PS2-} == *$__nod_n* ]] || PS2+="%{${__nod_s}P$__nod_n%}"
  return $s }
__nod_r() { TMUX=$__nod_x "$__nod_t" show-buffer -b nod-NAME || builtin printf "(exit 127)" }
__nod_a() { [[ $1 != *__nod_r* ]] }
typeset -ga preexec_functions precmd_functions zshaddhistory_functions
preexec_functions=(${preexec_functions:#__nod_*} __nod_c)
precmd_functions=(__nod_d ${precmd_functions:#__nod_*} __nod_q)
zshaddhistory_functions=(${zshaddhistory_functions:#__nod_*} __nod_a)
PS1=${PS1-}; PS1=${PS1%%"%{${__nod_s}B;"*}
PS2=${PS2-}; PS2=${PS2%%"%{${__nod_s}P;"*}
(( ${+PROMPT_EOL_MARK} )) || typeset -g PROMPT_EOL_MARK="%B%S%#%s%b"
PROMPT_EOL_MARK="%{${__nod_s}E$__nod_n%}${PROMPT_EOL_MARK#"%{${__nod_s}E;"*"%}"}"
builtin printf "FIRST%sR;zsh%s" $__nod_s $__nod_n
'
