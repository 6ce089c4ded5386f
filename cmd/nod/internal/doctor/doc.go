// Package doctor checks what nod needs: its configuration, the terminal, tmux, the shell
// and what it reads when it starts, ssh, the model's server, the state folder, the record
// and the clock.
//
// [Examine] runs all checks and changes nothing but what it learns of the model's server.
// Each check comes to one [Finding] that says what is there and, if something is wrong,
// what to do about it. [Print] writes findings as "nod doctor" shows them.
package doctor
