// Package questions asks the operator what a login, a working folder or the model wants to
// know: in the console's dialogs, or in lines on the controlling terminal.
package questions
