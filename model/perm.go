package model

import "simrun/model/config"

// Permissions of a broker's queues: the broker's own, which its registrations carry, and what mqadmin
// changes in the memory of a name server.

// setPermission is mqadmin updateBrokerConfig brokerPermission: the process registers with it at once. A
// process that is not there finds it in its configuration file when it starts. The broker itself takes
// sends as before.
//
// Source: AdminBrokerProcessor.updateBrokerConfig, 4.2.0 (registers before it makes a new DataVersion, so
// that name servers heed it at the next registration only), 4.3.0 and later.
func (w *World) setPermission(p int32, permission uint8) {
	w.procs[p].permission = permission
	if w.procs[p].running {
		w.permissionSet(p)
	}
}

func (w *World) permissionSet(p int32) {
	if w.deferWhilePaused(p, evPermissionSet, p) {
		return
	}
	pr := &w.procs[p]
	if pr.profile.PermissionLate {
		w.registerWith(p, registration{request: none, makesVersion: true})
		return
	}
	w.newTopicVersion(p)
	w.registerWith(p, registration{request: none})
}

// permissionOf is the permission of a broker as the configuration has it.
func permissionOf(b *config.Broker) uint8 {
	if b.Permission == 0 {
		return config.PermRead | config.PermWrite
	}
	return uint8(b.Permission)
}

// queuesOf is what a registration of broker b says of each of its topics, all of which have permission to
// be read and written.
//
// Source: BrokerController.registerBrokerAll, 4.9.8 (brokerPermission takes the place of the topic's) and
// 5.3.3 (both must allow).
func (w *World) queuesOf(b int32) queueData {
	if w.procs[w.firstProc[b]].permission&config.PermWrite != 0 {
		return queuesListed | queuesWritable
	}
	return queuesListed
}

// wipeWritePerm and addWritePerm are mqadmin's, of a broker name on the name servers that a fault names.
// The tool talks to each of them; one that is stopped hears it later, one that is not there never.
func (w *World) wipeWritePerm(f *config.Fault, b int32) { w.operateWritePerm(f, b, false) }

func (w *World) addWritePerm(f *config.Fault, b int32) { w.operateWritePerm(f, b, true) }

func (w *World) operateWritePerm(f *config.Fault, b int32, add bool) {
	for n := range int32(len(w.nameServers)) {
		named := len(f.To) == 0
		for _, t := range f.To {
			named = named || int32(t.Index) == n
		}
		if !named || !w.procs[w.processOfNameServer(n)].running {
			continue
		}
		at := (n*int32(len(w.names)) + b) << 1
		if add {
			at |= 1
		}
		w.writePermOperated(at)
	}
}

// writePermOperated is the command at the name server: the write bit of every topic that it knows on that
// broker name. It lasts until a registration of the broker brings its topics again.
//
// Source: RouteInfoManager.wipeWritePermOfBroker, 4.2.0; operateWritePermOfBroker, 4.9.8 and 5.3.3.
func (w *World) writePermOperated(at int32) {
	brokers := int32(len(w.names))
	add, b, n := at&1 != 0, at>>1%brokers, at>>1/brokers
	if w.deferWhilePaused(w.processOfNameServer(n), evWritePerm, at) ||
		add && !w.nameServers[n].profile.AddsWritePerm {
		return
	}
	for t := range w.defaultTopic() + 1 {
		q := &w.queues[w.queuesAt(n, b, t)]
		switch {
		case *q&queuesListed == 0:
		case add:
			*q |= queuesWritable
		default:
			*q &^= queuesWritable
		}
	}
}
