package lua

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// deepestValue bounds how deep tables may be nested that become JSON; it also finds those
// that hold themselves.
const deepestValue = 64

// toLua makes a Lua value of what json.Unmarshal gives; null is nil.
func toLua(L *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case int64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		t := L.CreateTable(len(v), 0)
		for _, e := range v {
			t.Append(toLua(L, e))
		}
		return t
	case map[string]any:
		t := L.CreateTable(0, len(v))
		for k, e := range v {
			t.RawSetString(k, toLua(L, e))
		}
		return t
	}
	return lua.LNil
}

// fromLua makes what json.Marshal takes of a Lua value. A table with elements from 1 on
// is an array, any other one an object.
func fromLua(v lua.LValue, depth int) (any, error) {
	if depth > deepestValue {
		return nil, fmt.Errorf("a table is nested deeper than %d, or holds itself", deepestValue)
	}
	switch v := v.(type) {
	case *lua.LNilType:
		return nil, nil
	case lua.LBool:
		return bool(v), nil
	case lua.LNumber:
		if n := float64(v); math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, errors.New("JSON has no such number")
		}
		return float64(v), nil
	case lua.LString:
		return string(v), nil
	case *lua.LTable:
		return fromTable(v, depth)
	}
	return nil, fmt.Errorf("a %s cannot be JSON", v.Type())
}

func fromTable(t *lua.LTable, depth int) (any, error) {
	var err error
	array := make([]any, 0, t.Len())
	object := map[string]any{}
	t.ForEach(func(k, v lua.LValue) {
		if err != nil {
			return
		}
		var one any
		if one, err = fromLua(v, depth+1); err != nil {
			return
		}
		if k.Type() == lua.LTNumber {
			array = append(array, one)
		} else {
			object[k.String()] = one
		}
	})
	switch {
	case err != nil:
		return nil, err
	case len(array) > 0 && len(object) > 0:
		return nil, errors.New("a table with elements and with fields cannot be JSON")
	case len(array) > 0:
		return array, nil
	}
	return object, nil
}

// encode is nod.json.encode(value).
func encode(L *lua.LState) int {
	v, err := fromLua(L.CheckAny(1), 0)
	if err != nil {
		L.RaiseError("json.encode: %s", err)
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		L.RaiseError("json.encode: %s", err)
	}
	L.Push(lua.LString(encoded))
	return 1
}

// decode is nod.json.decode(text): the value, or nil and what is wrong.
func decode(L *lua.LState) int {
	var v any
	if err := json.Unmarshal([]byte(L.CheckString(1)), &v); err != nil {
		L.Push(lua.LNil)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	L.Push(toLua(L, v))
	return 1
}
