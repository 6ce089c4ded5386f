package tools

import (
	"errors"
	"fmt"
)

// Code classifies an Error.
type Code string

// The codes of an Error.
const (
	InvalidArgs      Code = "invalid_args"
	PermissionDenied Code = "permission_denied"
	ExecutionFailed  Code = "execution_failed"
)

// Error is a fault of the infrastructure. It never comes together with a
// Result.
type Error struct {
	Code    Code
	Message string // complete by itself: it already tells what Wrapped says
	Wrapped error
}

// Error implements error.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Wrapped }

// Invalid is an invalid_args error; format may wrap a cause with %w.
func Invalid(format string, args ...any) *Error { return newError(InvalidArgs, format, args) }

// Denied is a permission_denied error; format may wrap a cause with %w.
func Denied(format string, args ...any) *Error { return newError(PermissionDenied, format, args) }

// Failed is an execution_failed error; format may wrap a cause with %w.
func Failed(format string, args ...any) *Error { return newError(ExecutionFailed, format, args) }

func newError(code Code, format string, args []any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Wrapped: errors.Unwrap(err)}
}

// Rejection is the error of a Plan that cannot be made for a reason that the
// model should handle. The caller returns its Result to the model.
type Rejection struct{ Result Result }

// Error implements error.
func (r *Rejection) Error() string {
	if p, ok := r.Result.Value.(Problem); ok {
		return p.Error
	}
	return "the call was rejected"
}

// Reject is a Rejection with Failure(code, message) as its Result.
func Reject(code, format string, args ...any) *Rejection {
	return &Rejection{Result: Failure(code, fmt.Sprintf(format, args...))}
}
