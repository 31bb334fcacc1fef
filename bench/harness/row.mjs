// One line of the result table: what was measured, against what, and whether the target is met.

/**
 * `ours` is a number in `unit`. `reference` is `{ name, value }` in the same unit, or absent. `target` is one of
 * `{ ratioAtMost }`, `{ ratioAtLeast }` (ours divided by the reference), `{ overAtMost }` (ours minus the reference), `{ atMost }`,
 * `{ atLeast }`, `{ exactly }`, or absent: then the row is for information. `note` is a short text.
 */
export function makeRow({ measure, what, size, unit, ours, reference, target, note }) {
  const ratio = reference ? ours / reference.value : undefined
  return { measure, what, size, unit, ours, reference, ratio, target, met: isMet(target, ours, reference), note }
}

function isMet(target, ours, reference) {
  if (!target) return undefined
  const [[rule, limit]] = Object.entries(target)
  return RULES[rule](ours, limit, reference)
}

const RULES = {
  ratioAtMost: (ours, limit, reference) => ours / reference.value <= limit,
  ratioAtLeast: (ours, limit, reference) => ours / reference.value >= limit,
  overAtMost: (ours, limit, reference) => ours - reference.value <= limit,
  atMost: (ours, limit) => ours <= limit,
  atLeast: (ours, limit) => ours >= limit,
  exactly: (ours, limit) => ours === limit,
}

export function describeTarget(target, unit) {
  if (!target) return ''
  const [[rule, limit]] = Object.entries(target)
  const texts = {
    ratioAtMost: () => (limit < 1 ? `<= 1/${Math.round(1 / limit)}` : `<= ${limit}x`),
    ratioAtLeast: () => `>= ${limit}x`,
    overAtMost: () => `<= ${formatNumber(limit, unit)} over`,
    atMost: () => `<= ${formatNumber(limit, unit)}`,
    atLeast: () => `>= ${formatNumber(limit, unit)}`,
    exactly: () => `= ${formatNumber(limit, unit)}`,
  }
  return texts[rule]()
}

/** Three significant digits for measured quantities; counts and shares as they are. */
export function formatNumber(value, unit) {
  if (value === undefined || Number.isNaN(value)) return '-'
  if (unit === 'count') return String(value)
  if (unit === 'share') return value.toFixed(4)
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3)
  return unit === 'x' ? `${text}x` : `${text} ${unit}`
}
