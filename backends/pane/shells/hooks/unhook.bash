case $- in *a*) set +a; __nod_v=-a;; *) __nod_v=+a;; esac
__nod_u() {
  [[ ${!1-} == *__nod_* ]] || return 0
  local v=${!1-} x r had=__nod_y_$1
  v=${v//'\[${__nod_'?'}\]'/} v=${v//'\[${__nod_'?'-}\]'/} v=${v//'\[${__nod_'?'@P}\]'/}
  case $v in *'${__nod_'*)
    x=${v%%'${__nod_'*} r=${v##*'${__nod_'?'-}'}
    [[ $r != "$v" ]] || r=${v##*'${__nod_'?'}'}
    v=$x$r ;;
  esac
  v=${v/':*__nod_[fr]*'/} v=${v/'*__nod_[fr]*'/}
  if [[ -z $v && -z ${!had-} ]]; then unset -v "$1"; else builtin printf -v "$1" %s "$v"; fi
}
__nod_u PS0
__nod_u PS1
__nod_u PS2
__nod_u HISTIGNORE
if [[ "${PROMPT_COMMAND[*]-}" != *__nod_* ]]; then :
elif ((BASH_VERSINFO[0]>5 || (BASH_VERSINFO[0]==5 && BASH_VERSINFO[1]>=1))); then
  __nod_w=()
  for __nod_x in "${PROMPT_COMMAND[@]}"; do
    [[ $__nod_x == *__nod_[dq]* ]] || __nod_w+=("$__nod_x")
  done
  unset -v PROMPT_COMMAND
  [[ -z ${__nod_y_PC-} ]] || eval "$__nod_y_PC"
  if [[ ${__nod_y_PC-} == "declare -"*a* || ${#__nod_w[@]} -gt 1 ]]; then
    unset -v __nod_x; PROMPT_COMMAND=("${__nod_w[@]}")
  elif [[ -n ${__nod_y_PC-}${__nod_w[0]-} ]]; then
    PROMPT_COMMAND=${__nod_w[0]-}
  fi
else
  __nod_w=${PROMPT_COMMAND-} __nod_w=${__nod_w#"{ __nod_d; } 2>/dev/null"} __nod_w=${__nod_w%"{ __nod_q; } 2>/dev/null"}
  __nod_w=${__nod_w#;} PROMPT_COMMAND=${__nod_w%;}
  [[ -n $PROMPT_COMMAND || -n ${__nod_y_PC-} ]] || unset -v PROMPT_COMMAND
fi
for __nod_x in emacs-standard vi-insert vi-command; do
  for __nod_w in 3 4 5 6 8; do builtin bind -m "$__nod_x" -r "\e[13$__nod_w~" 2>/dev/null; done
done
set "$__nod_v"
unset -f NAMES
unset -v NAMES
builtin printf 'FAREWELL'
