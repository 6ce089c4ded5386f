functions -e __nod_c __nod_d __nod_q __nod_a
for __nod_k in default insert visual replace
    for __nod_w in 3 4 5 6 7 8
        bind -M $__nod_k -e \e\[13$__nod_w~
    end
end
if functions -q __nod_o
    functions -e fish_prompt
    functions -c __nod_o fish_prompt
end
builtin history delete --exact --case-sensitive 'eval "$(__nod_r)"'
for __nod_k in (functions -an | string match '__nod_*')
    functions -e $__nod_k
end
for __nod_k in (set -n | string match '__nod_*')
    set -e $__nod_k
end
set -e __nod_k
builtin printf 'FAREWELL'
