package strategy

import "strconv"

// codeNames are the response codes of a broker or name server that a producer can meet, and the
// client's own, by the names that RocketMQ gives them.
//
// Source: ResponseCode, RemotingSysResponseCode and ClientErrorCode, 4.9.8 and 5.3.3.
var codeNames = []struct {
	code int
	name string
}{
	{0, "SUCCESS"},
	{CodeSystemError, "SYSTEM_ERROR"},
	{CodeSystemBusy, "SYSTEM_BUSY"},
	{CodeRequestNotSupported, "REQUEST_CODE_NOT_SUPPORTED"},
	{10, "FLUSH_DISK_TIMEOUT"},
	{11, "SLAVE_NOT_AVAILABLE"},
	{12, "FLUSH_SLAVE_TIMEOUT"},
	{13, "MESSAGE_ILLEGAL"},
	{CodeServiceNotAvailable, "SERVICE_NOT_AVAILABLE"},
	{CodeNoPermission, "NO_PERMISSION"},
	{CodeTopicNotExist, "TOPIC_NOT_EXIST"},
	{29, "INVALID_PARAMETER"},
	{CodeNoBuyerID, "NO_BUYER_ID"},
	{CodeNotInCurrentUnit, "NOT_IN_CURRENT_UNIT"},
	{215, "FLOW_CONTROL"},
	{CodeGoAway, "GO_AWAY"},
	{CodeConnectBroker, "CONNECT_BROKER_EXCEPTION"},
	{CodeAccessTimeout, "ACCESS_BROKER_TIMEOUT"},
	{CodeBrokerNotExist, "BROKER_NOT_EXIST_EXCEPTION"},
	{CodeNoNameServer, "NO_NAME_SERVER_EXCEPTION"},
	{CodeNotFoundTopic, "NOT_FOUND_TOPIC_EXCEPTION"},
}

// CodeName is the name that RocketMQ gives a response code or a code of the client, such as
// SYSTEM_BUSY; "code 99" for one that has none here.
func CodeName(code int) string {
	for _, c := range codeNames {
		if c.code == code {
			return c.name
		}
	}
	return "code " + strconv.Itoa(code)
}
