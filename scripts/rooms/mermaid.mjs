// Draws rooms and arrows as a Mermaid flow chart.

/** Draws a graph as a block of Markdown. */
export function drawGraph(arrows) {
  const rooms = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].sort()
  const lines = arrows.map(({ from, to }) => `  ${from} --> ${to}`)
  return ['```mermaid', 'flowchart TD', ...rooms.map((room) => `  ${room}`), ...lines, '```'].join('\n')
}

/** Leaves out every arrow that others lead along as well: the transitive reduction of a graph without circles. */
export function withoutDetours(arrows) {
  const next = new Map()
  for (const { from, to } of arrows) next.set(from, [...(next.get(from) ?? []), to])
  const leads = (from, to) => (next.get(from) ?? []).some((room) => room === to || leads(room, to))
  return arrows.filter(({ from, to }) => !next.get(from).some((room) => room !== to && leads(room, to)))
}
