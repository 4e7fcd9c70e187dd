package result

// LossWords say what took the last copy of a message, for people: a cause as in Loss.
func LossWords(cause string) string {
	switch cause {
	case "page cache":
		return "not yet fsynced"
	case "store pool":
		return "not yet committed"
	case "fsync lied":
		return "fsync had lied"
	case "fsync failed":
		return "fsync had failed"
	}
	return cause
}

// ExtraWords say why a message was stored once more, for people: how the earlier attempt ended and whether
// the copy is late, as in Extra.
func ExtraWords(gaveUp string, late bool) string {
	why := "after " + gaveUp
	switch gaveUp {
	case "TIMEOUT":
		why = "after a timeout"
	case "SEND_REQUEST_FAILED":
		why = "after a closed connection"
	case "BROKER_ERROR":
		why = "after an error answer"
	}
	if late {
		return "late, given up " + why
	}
	return "retry " + why
}
