/// An entity that is built from the events of one subject: the first event creates it, the others change it.
protocol ReplayedEntity {
  init(creating event: borrowing EventView) throws(ReplayProblem)
  mutating func apply(_ event: borrowing EventView) throws(ReplayProblem)
}

extension PromiseEntity: ReplayedEntity {}
extension HandlerEntity: ReplayedEntity {}
extension SessionEntity: ReplayedEntity {}
