if [ -z "${__nod_y-}" ]; then
__nod_y=1
if [ -n "${BASH_VERSION-}" ]; then
__nod_y_PS0=$(builtin declare -p PS0 2>/dev/null) || :
__nod_y_PS1=$(builtin declare -p PS1 2>/dev/null) || :
__nod_y_PS2=$(builtin declare -p PS2 2>/dev/null) || :
__nod_y_HISTIGNORE=$(builtin declare -p HISTIGNORE 2>/dev/null) || :
__nod_y_PC=$(builtin declare -p PROMPT_COMMAND 2>/dev/null) || :
else
__nod_y1=${PS1-} __nod_y2=${PS2-}
fi
fi
HOOK
if [ -z "${BASH_VERSION-}" ]; then
__nod_y3=${PS1-} __nod_y4=${PS2-}
fi
