setopt extendedglob
preexec_functions=(${preexec_functions:#__nod_*})
precmd_functions=(${precmd_functions:#__nod_*})
zshaddhistory_functions=(${zshaddhistory_functions:#__nod_*})
[[ ${(t)PS1} == *readonly* ]] || PS1=${PS1//"%{"$'\e]133;'[BP]";h="[0-9a-f]##$'\a'"%}"/}
PS2=${PS2//"%{"$'\e]133;'[BP]";h="[0-9a-f]##$'\a'"%}"/}
PROMPT_EOL_MARK=${PROMPT_EOL_MARK//"%{"$'\e]133;E;h='[0-9a-f]##$'\a'"%}"/}
[[ ${__nod_y[1]} == 1 ]] || unset PROMPT_EOL_MARK
[[ ${__nod_y[2]} == 1 || -n $preexec_functions ]] || unset preexec_functions
[[ ${__nod_y[3]} == 1 || -n $precmd_functions ]] || unset precmd_functions
[[ ${__nod_y[4]} == 1 || -n $zshaddhistory_functions ]] || unset zshaddhistory_functions
() { local m k
  for m in emacs viins vicmd; do
    for k in 3 4 5 6; do bindkey -M $m -r "\e[13$k~"; done
  done }
zle -D __nod_z
unfunction -m "__nod_*"
unset -m "__nod_*"
builtin printf "FAREWELL"
