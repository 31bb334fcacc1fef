// A moving picture of a terminal: commands as somebody types them, what they print, one after the other. The outcome is an SVG that
// is animated by its own style sheet, so that it plays wherever images do and stays sharp.
const CELL = { width: 8.4, height: 19 }
const MARGIN = { left: 20, top: 46, bottom: 20 }
const TYPING_S = 0.035
const READING_S = 1.6

const START = `${String.fromCharCode(27)}[`
const ESCAPE = new RegExp(`(${START.replace('[', '\\[')}[\\d;]*m)`)

const COLOURS = { 31: '#ff7b72', 32: '#7ee787', 33: '#f2cc60', 36: '#76e3ea' }

const escapeXml = (text) => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign])

/** Splits a line of terminal output into spans of one style each. */
function spansOf(line) {
  const style = {}
  return line.split(ESCAPE).flatMap((part) => {
    if (!part.startsWith(START)) return part === '' ? [] : [{ text: part, ...style }]
    const codes = part.slice(START.length, -1).split(';')
    for (const code of codes.map(Number)) applyCode(style, code)
    return []
  })
}

function applyCode(style, code) {
  if (code === 0) Object.assign(style, { bold: false, dim: false, colour: undefined })
  else if (code === 1) style.bold = true
  else if (code === 2) style.dim = true
  else if (code === 22) Object.assign(style, { bold: false, dim: false })
  else if (code === 39) style.colour = undefined
  else if (code in COLOURS) style.colour = COLOURS[code]
}

function span({ text, bold, dim, colour }) {
  const attributes = [colour && `fill="${colour}"`, bold && 'font-weight="600"', dim && 'fill-opacity="0.55"'].filter(
    Boolean,
  )
  return attributes.length === 0 ? escapeXml(text) : `<tspan ${attributes.join(' ')}>${escapeXml(text)}</tspan>`
}

const row = (spans, at) =>
  `<text x="${MARGIN.left}" y="${MARGIN.top + at * CELL.height}" xml:space="preserve">${spans.map(span).join('')}</text>`

/** Shows an element from one second of the film on. */
function from(second, length, content) {
  const share = ((second / length) * 100).toFixed(2)
  const name = `s${share.replace('.', '_')}`
  const style = `@keyframes ${name}{0%,${share}%{opacity:0}${(Number(share) + 0.01).toFixed(2)}%,100%{opacity:1}}`
  return { style, content: `<g style="animation:${name} ${length}s infinite">${content}</g>` }
}

/**
 * Returns the picture. `steps` are `{ typed, printed }`: the command as it is shown, and what it printed, with its escape sequences.
 */
export function renderTerminal(steps, { columns = 84, title = 'forge-memory' } = {}) {
  const rows = []
  let second = 0.5
  for (const { typed, printed } of steps) {
    rows.push({
      second,
      spans: [
        { text: '$ ', colour: COLOURS[32] },
        { text: typed, bold: true },
      ],
    })
    second += 0.4 + typed.length * TYPING_S
    for (const line of printed.replace(/\n+$/, '').split('\n')) rows.push({ second, spans: spansOf(line) })
    rows.push({ second, spans: [] })
    second += READING_S
  }
  const length = Math.ceil(second + 4)
  const shown = rows.map(({ second, spans }, at) => from(second, length, row(spans, at)))
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN.left)
  const height = MARGIN.top + rows.length * CELL.height + MARGIN.bottom
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3}
@media (prefers-reduced-motion:reduce){g{animation:none!important}}
${[...new Set(shown.map(({ style }) => style))].join('\n')}</style>
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
<circle cx="22" cy="18" r="6" fill="#ff5f57"/><circle cx="42" cy="18" r="6" fill="#febc2e"/><circle cx="62" cy="18" r="6" fill="#28c840"/>
${shown.map(({ content }) => content).join('\n')}
</svg>
`
}
