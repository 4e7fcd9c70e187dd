package model

// awaitReplica decides whether the answer to request r, appended by master process p up to offset end,
// waits for slaves, and makes it wait. If it does not, it may have set the request's replica outcome.
func (w *World) awaitReplica(p, r int32, end int64) (needed bool) {
	return false
}
