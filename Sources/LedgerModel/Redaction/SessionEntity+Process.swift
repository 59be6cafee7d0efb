extension SessionEntity {
  /// The session without what differs from run to run: the process, the machine and the version.
  package var withoutProcess: SessionEntity {
    SessionEntity(
      id: id, opened: opened.withoutProcess, openedAt: openedAt, processID: 0, status: status,
      lastPosition: lastPosition, lastTime: lastTime)
  }
}

extension SessionOpened {
  /// The payload without what differs from run to run: the process, the machine and the version.
  package var withoutProcess: SessionOpened {
    SessionOpened(role: role, processID: 0, instance: instance, host: "", libraryVersion: "")
  }
}
