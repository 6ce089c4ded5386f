set -g __nod_m \e']133;'
set -g __nod_n ';h=NONCE'\a
set -g __nod_t (command -s tmux)
set -g __nod_x $TMUX
set -g __nod_i (status fish-path)
function __nod_h
    set -lx LC_ALL C
    jobs | string match -r '\tstopped\t' | count
end
function __nod_c --on-event fish_preexec
    set -g __nod_g $status_generation (__nod_h)
    builtin printf '%sC%s\e]7;nod:NONCE:run\a' $__nod_m $__nod_n
end
function __nod_d --on-event fish_postexec
    set -l s $status $status_generation
    builtin printf '%sE%s' $__nod_m $__nod_n
    set -l h (__nod_h)
    if test "$s[2]" = "$__nod_g[1]" -a $h -gt "$__nod_g[2]"
        set s 148
    else if test $s[1] -eq 0 -a $h -gt 0 -a $h -ge "$__nod_g[2]"; and string match -qr '^\s*fg\b' -- $argv[1]
        set s 148
    end
    set -g __nod_v $s[1]
end
function __nod_q --on-event fish_prompt
    set -l s $__nod_v $status
    set -e __nod_v
    builtin printf '%sD;%s%s\e]7;nod:NONCE:%s\a' $__nod_m $s[1] $__nod_n $s[1]
    for m in default insert visual replace
        bind -M $m \e\[133~ __nod_e
    end
end
function __nod_a --on-event fish_cancel
    builtin printf '%sD;130%s' $__nod_m $__nod_n
end
function __nod_e
    if commandline --is-valid
        commandline -f execute
        return
    end
    builtin printf '\n'
    commandline -b | $__nod_i --no-config --no-execute 2>&1
    builtin printf '%sD;127%s' $__nod_m $__nod_n
    commandline -r ''
    commandline -f repaint
end
function __nod_z
    return 127
end
function __nod_r
    TMUX=$__nod_x $__nod_t show-buffer -b nod-NAME
    or builtin printf __nod_z
end
if not functions -q __nod_o
    functions -c fish_prompt __nod_o
    function fish_prompt
        __nod_o
        builtin printf '%sB%s' $__nod_m $__nod_n
    end
end
builtin printf 'FIRST%sR;fish%s' $__nod_m $__nod_n
