// Package inverse knows commands that have an opposite: "systemctl stop nginx"
// and "systemctl start nginx". It is a pure function of the text.
//
// # What it promises
//
//   - An inverse is given only for one simple command whose every word is known,
//     and only where carrying it out after the command gives back what the command
//     took, as far as the text can tell. What it cannot tell, [Inverse.Unless]
//     and [Inverse.New] say.
//   - Where the former state would have to be known (chmod, chown, sysctl, a file
//     that was overwritten), there is none.
//   - An inverse is a proposal: it is assessed and asked like any other command.
package inverse
