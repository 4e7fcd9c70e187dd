// Package releases is what differs between the releases of RocketMQ below the send loop: the Java client
// on the wire ([Clients]), the broker ([Brokers]), the name server ([NameServers]) and the Go client
// ([LookupGo]). What the Java client decides is in package strategy, which names the releases.
//
// Each release is in exactly one row of each table. The line of 4.9.x goes on beside 5.x (4.9.5-4.9.8 came
// after 5.0.0), and 5.0.0-PREVIEW and 5.0.0-ALPHA were cut from it and have some of its later changes and
// not others, so rows list their releases: nothing ever asks whether one is newer than another. Each field
// of a row has a name, a behaviour, by which a scenario can replace it; docs/versions.md shows the tables.
//
// The package is data and the names for it. It imports sim, for durations, and strategy.
package releases
