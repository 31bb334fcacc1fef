// What a person would see at once in a picture of a page: words glued together, rows that cut what is in them.

/** Lists texts that stand beside each other without a gap, and rows whose content is higher than they are. */
export function layoutFaults(page) {
  return page.evaluate(() => {
    const GAP_MIN = 3
    const named = (element) =>
      `${element.tagName.toLowerCase()}.${element.className}: ${element.textContent.slice(0, 40)}`
    /** Where the shown text of an element is, its first or its last piece. */
    const textOf = (element, isLast) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      const rects = []
      while (walker.nextNode()) {
        const { parentElement, data } = walker.currentNode
        if (data.trim() === '' || getComputedStyle(parentElement).visibility !== 'visible') continue
        if (parentElement.closest('.unseen, [hidden]')) continue
        const range = document.createRange()
        range.selectNodeContents(walker.currentNode)
        rects.push(...range.getClientRects())
      }
      // What does not fit is not shown: a third line of two, or the left of a text from right to left.
      const { left, right, bottom } = element.getBoundingClientRect()
      const isCut = getComputedStyle(element).overflowX !== 'visible'
      const rect = rects.filter(({ width, top }) => width > 0 && !(isCut && top >= bottom)).at(isLast ? -1 : 0)
      if (rect === undefined || !isCut) return rect
      return {
        top: rect.top,
        bottom: rect.bottom,
        height: rect.height,
        left: Math.max(left, rect.left),
        right: Math.min(right, rect.right),
      }
    }
    const isGlued = (one, other) => {
      const [left, right] = [textOf(one, true), textOf(other, false)]
      if (left === undefined || right === undefined) return false
      const isBeside = Math.min(left.bottom, right.bottom) - Math.max(left.top, right.top) > left.height / 2
      return isBeside && right.left >= left.right - 1 && right.left - left.right < GAP_MIN
    }
    const glued = [...document.querySelectorAll('main *:not(svg *, mark)')].flatMap((element) => {
      const next = element.nextElementSibling
      if (next === null || next.tagName === 'MARK' || getComputedStyle(next).position === 'absolute') return []
      return isGlued(element, next) ? [`glued: ${named(element)} | ${named(next)}`] : []
    })
    const cut = [...document.querySelectorAll('main .rows li')]
      .filter((row) => {
        const inner = row.firstElementChild
        return inner !== null && inner.scrollHeight > row.clientHeight + 1
      })
      .map((row) => `cut: ${named(row)}`)
    return [...glued, ...cut]
  })
}
