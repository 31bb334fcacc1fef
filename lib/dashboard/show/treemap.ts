// The layout of a treemap: rectangles whose areas are in proportion to numbers, as near to squares as they can be.

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** The largest ratio of the sides of boxes with these areas in one row of this length. */
function worstOf(areas: number[], length: number): number {
  const sum = areas.reduce((all, area) => all + area, 0)
  const depth = sum / length
  return Math.max(...areas.map((area) => Math.max(depth / (area / depth), area / depth / depth)))
}

/** Divides a box among sizes, which are positive and in descending order. */
export function treemap(sizes: number[], box: Box): Box[] {
  const total = sizes.reduce((all, size) => all + size, 0)
  const areas = sizes.map((size) => (size / total) * box.width * box.height)
  const boxes: Box[] = []
  let { x, y, width, height } = box
  for (let from = 0; from < areas.length; ) {
    const length = Math.min(width, height)
    let to = from + 1
    while (to < areas.length && worstOf(areas.slice(from, to + 1), length) <= worstOf(areas.slice(from, to), length))
      to += 1
    const row = areas.slice(from, to)
    const depth = row.reduce((all, area) => all + area, 0) / length
    let along = 0
    for (const area of row) {
      const side = area / depth
      boxes.push(
        width >= height
          ? { x, y: y + along, width: depth, height: side }
          : { x: x + along, y, width: side, height: depth },
      )
      along += side
    }
    if (width >= height) {
      x += depth
      width -= depth
    } else {
      y += depth
      height -= depth
    }
    from = to
  }
  return boxes
}
