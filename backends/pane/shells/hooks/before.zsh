(( ${+__nod_y} )) || __nod_y="${+PROMPT_EOL_MARK}${+preexec_functions}${+precmd_functions}${+zshaddhistory_functions}"
HOOK
