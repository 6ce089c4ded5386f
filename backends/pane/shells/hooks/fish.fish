set -g __nod_s \e']7;nod:NONCE:'
set -g __nod_m \e']133;'
set -g __nod_n ';h=NONCE'\a
set -g __nod_b $__nod_m'B;h=SECOND'\a
set -g __nod_t (command -s tmux)
set -g __nod_x $TMUX
set -g __nod_i (status fish-path)
set -g __nod_p 0
set -g __nod_l
set -g __nod_u ''
set -g __nod_w
set -g __nod_k
function __nod_h
    set -g __nod_j 0
    if jobs -q
        set -lx LC_ALL C
        set -g __nod_j (jobs | string match -r '\tstopped\t' | count)
    end
end
function __nod_c --on-event fish_preexec
    __nod_h
    set -g __nod_g $status_generation $__nod_j
    set -g __nod_w 1
    if set -q __nod_f
        test "$argv" = "$__nod_f"
        or set -g __nod_k
        set -e __nod_f
    end
    builtin printf %s $__nod_s$__nod_p:run:$__nod_u\a$__nod_m'C'"$__nod_k"$__nod_n
end
function __nod_d --on-event fish_postexec
    set -l s $status $status_generation
    builtin printf %s $__nod_m'E'$__nod_n
    __nod_h
    if test "$s[2]" = "$__nod_g[1]" -a $__nod_j -gt "$__nod_g[2]"
        set s 148
    else if test $s[1] -eq 0 -a $__nod_j -gt 0 -a $__nod_j -ge "$__nod_g[2]"; and string match -qr '^\s*fg\b' -- $argv[1]
        set s 148
    end
    set -g __nod_v $s[1]
end
for __nod_y in (functions --handlers-type generic | string match -rg '^fish_postexec (\S+)$')
    string match -q '__nod_*' $__nod_y
    or functions $__nod_y | source
end
set -e __nod_y
function __nod_q --on-event fish_prompt
    set -l s $__nod_v $status
    set -q __nod_v; and set -g __nod_w 1
    set -e __nod_v
    set -g __nod_p (math $__nod_p + 1)
    set -l x '~'
    test -n "$__nod_w"; and set x =
    set -g __nod_w
    set -g __nod_l $__nod_p$x$s[1], $__nod_l[1..ENTRIES]
    set -g __nod_u (string join '' $__nod_l)
    builtin printf %s $__nod_s$__nod_p:$s[1]:$__nod_u\a$__nod_m'D;'$s[1]"$__nod_k"';e'$__nod_n
    set -g __nod_k
    for m in default insert visual replace
        for k in 3 4 5 6
            bind -M $m \e\[13$k~ "__nod_e $k"
        end
        bind -M $m \e\[137~ "commandline -r ''"
        bind -M $m \e\[138~ cancel
    end
end
function __nod_a --on-event fish_cancel
    builtin printf '%sD;130;e%s' $__nod_m $__nod_n
end
function __nod_e
    set -g __nod_k ";k$argv[1]"
    set -l b "$(commandline -b)"
    if not string match -qr '(?s)^OPEN.*CLOSE$' -- $b
        builtin printf '\n%sD;127%s;e%s' $__nod_m $__nod_k $__nod_n
        set -g __nod_k
        commandline -r ''
        commandline -f repaint
        return
    end
    commandline -r "$(string replace -r '(?s)^OPEN(.*)CLOSE$' '$1' -- $b)"
    if commandline --is-valid
        set -g __nod_f "$(commandline -b)"
        commandline -f execute
        return
    end
    builtin printf '\n'
    commandline -b | $__nod_i --no-config --no-execute 2>&1
    builtin printf '%sD;127%s;e%s' $__nod_m $__nod_k $__nod_n
    set -g __nod_k
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
        builtin printf %s $__nod_b
    end
end
builtin printf 'FIRST%sR;fish,%s;e%s' $__nod_m $fish_pid $__nod_n
