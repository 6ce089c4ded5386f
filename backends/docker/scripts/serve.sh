while IFS= read -r q; do eval "$q"; done
