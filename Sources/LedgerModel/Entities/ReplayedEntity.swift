/// An entity that events of one subject make: the first one creates it, the others change it.
protocol ReplayedEntity {
  init(creating event: borrowing EventView) throws(ReplayProblem)
  mutating func apply(_ event: borrowing EventView) throws(ReplayProblem)
}

extension PromiseEntity: ReplayedEntity {}
extension HandlerEntity: ReplayedEntity {}
extension SessionEntity: ReplayedEntity {}
