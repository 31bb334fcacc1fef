// A graph of rooms (folders, modules) with an arrow for every room that uses another one.

/** Folds `{ from, to }` between files into arrows between rooms. `roomOf` returns nothing for what belongs to no room. */
export function foldIntoRooms(imports, roomOf) {
  const arrows = new Map()
  for (const { from, to } of imports) {
    const [a, b] = [roomOf(from), roomOf(to)]
    if (a === undefined || b === undefined || a === b) continue
    const key = `${a} -> ${b}`
    const arrow = arrows.get(key) ?? { from: a, to: b, imports: [] }
    arrow.imports.push({ from, to })
    arrows.set(key, arrow)
  }
  return [...arrows.values()].sort((a, b) => `${a.from} ${a.to}`.localeCompare(`${b.from} ${b.to}`))
}

/** Returns the circles of a graph: its strongly connected components (Tarjan 1972) of more than one room, each sorted. */
export function findCircles(arrows) {
  const next = new Map()
  for (const { from, to } of arrows) {
    next.set(from, [...(next.get(from) ?? []), to])
    if (!next.has(to)) next.set(to, [])
  }
  const index = new Map()
  const low = new Map()
  const stack = []
  const circles = []
  const visit = (room) => {
    index.set(room, index.size)
    low.set(room, index.get(room))
    stack.push(room)
    for (const other of next.get(room)) {
      if (!index.has(other)) visit(other)
      if (stack.includes(other)) low.set(room, Math.min(low.get(room), low.get(other)))
    }
    if (low.get(room) !== index.get(room)) return
    const component = stack.splice(stack.indexOf(room))
    if (component.length > 1) circles.push(component.sort())
  }
  for (const room of next.keys()) if (!index.has(room)) visit(room)
  return circles
}

/** Returns the arrows that do not lead to a lower layer. `layers` are lists of rooms, the lowest first. */
export function findArrowsUp(arrows, layers) {
  const height = new Map(layers.flatMap((rooms, at) => rooms.map((room) => [room, at])))
  return arrows.filter(({ from, to }) => !(height.get(from) > height.get(to)))
}
