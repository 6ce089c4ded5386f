#!/bin/sh
# How this team works with servers: what it never does is denied, of the rest it is
# reminded. The event is one JSON object in one line; jq would read it exactly, and this
# needs nothing but a shell.
read -r event || exit 1
case $event in
*'"command":"'*'kill -9'*)
	echo '{"deny":"we stop services with systemctl, and kill nothing by hand"}' ;;
*'"command":"'*'apt '*install*)
	echo '{"deny":"packages come by the configuration management; change it there"}' ;;
*'"command":"'*'systemctl restart'*)
	echo '{"note":"a reload is often enough; say in #ops before you restart"}' ;;
esac
