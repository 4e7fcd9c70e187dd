package result

import (
	"bytes"
	"encoding/json"
)

// JSON is v as the JSON of this project: indented, with the keys in the order of the struct,
// without HTML escapes, and with a newline at its end.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
