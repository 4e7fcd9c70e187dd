package experiment

import (
	"simrun/internal/result"
	"simrun/model"
)

// stepKinds are the names of the model's steps.
var stepKinds = [...]string{
	model.Taken: result.StoryTaken, model.RouteAsked: result.StoryRouteAsked,
	model.RouteCame: result.StoryRouteCame, model.NoMaster: result.StoryNoMaster,
	model.ConnectBegan: result.StoryConnectBegan, model.ConnectJoined: result.StoryConnectJoined,
	model.Connected: result.StoryConnected, model.ConnectRefused: result.StoryConnectRefused,
	model.ConnectTimedOut: result.StoryConnectTimedOut, model.NothingLeft: result.StoryNothingLeft,
	model.Written: result.StoryWritten, model.HostSilent: result.StoryHostSilent,
	model.HostGone: result.StoryHostGone, model.RequestMissed: result.StoryRequestMissed,
	model.ResponseMissed: result.StoryResponseMissed, model.ProcessGone: result.StoryProcessGone,
	model.ProcessPaused: result.StoryProcessPaused, model.Accepted: result.StoryAccepted,
	model.Queued: result.StoryQueued, model.Frozen: result.StoryFrozen,
	model.Dropped: result.StoryDropped, model.AwaitsFsync: result.StoryAwaitsFsync,
	model.AwaitsSlaves: result.StoryAwaitsSlaves,
	model.Responded:    result.StoryResponded, model.ResponseCame: result.StoryResponseCame,
	model.ResponseLate: result.StoryResponseLate, model.ResetCame: result.StoryResetCame,
	model.WaitOver: result.StoryWaitOver, model.ClosedByTimeout: result.StoryClosedByTimeout,
	model.ClosedByReset: result.StoryClosedByReset, model.ClosedByPeer: result.StoryClosedByPeer,
	model.LeftByPeer: result.StoryLeftByPeer, model.ClosedItself: result.StoryClosedItself,
	model.LeftByReset: result.StoryLeftByReset, model.KeptConnection: result.StoryKeptConnection,
	model.IdleClosed:       result.StoryIdleClosed,
	model.SparedConnection: result.StorySparedConnection, model.RouteMissed: result.StoryRouteMissed,
	model.Refused: result.StoryRefused, model.AwaitsLock: result.StoryAwaitsLock,
	model.AwaitsDisk: result.StoryAwaitsDisk, model.TooLarge: result.StoryTooLarge,
	model.SendsAgain: result.StorySendsAgain,
	model.AwaitsDial: result.StoryAwaitsDial, model.WriteFailed: result.StoryWriteFailed,
	model.Submitted: result.StorySubmitted, model.PermitAwaited: result.StoryPermitAwaited,
	model.CallbackQueued: result.StoryCallbackQueued, model.ScanFound: result.StoryScanFound,
	model.AskedNameServer: result.StoryAskedNameServer, model.HandedOver: result.StoryHandedOver,
	model.NotAnswered: result.StoryNotAnswered, model.LostUntold: result.StoryLostUntold,
	model.CalledBackAgain: result.StoryCalledBackAgain, model.ConnectsAside: result.StoryConnectsAside,
}

// stepKind is the name of a step in a story.
func stepKind(what model.StepWhat) string { return stepKinds[what] }
