// A moving picture of a terminal: commands as somebody types them, what they print, one after the other. The outcome is an SVG that
// is animated by its own style sheet, so that it plays wherever images do and stays sharp. It has a light and a dark look, and for
// people who want no motion it shows its last moment.
import { stripVTControlCharacters } from 'node:util'
import wrapAnsi from 'wrap-ansi'

const CELL = { width: 8.4, height: 19 }
const MARGIN = { left: 18, top: 46, bottom: 16 }
const TYPING_S = 0.014
const PAUSE_S = { beforeTyping: 0.4, beforeOutput: 0.25, afterOutput: 1.7, title: 0.6, end: 5 }

const START = `${String.fromCharCode(27)}[`
const ESCAPE = new RegExp(`(${START.replace('[', '\\[')}[\\d;]*m)`)
/** The classes of the colours that the command line uses. */
const COLOURS = { 31: 'r', 35: 'm' }

/** Every colour can be read on its background: at least 4.5 to 1. */
export const THEMES = {
  light: { bg: '#ffffff', fg: '#1f2328', line: '#d1d9e0', r: '#b3202a', m: '#8a2aa8', p: '#116329' },
  dark: { bg: '#0d1117', fg: '#e6edf3', line: '#3d444d', r: '#ff7b72', m: '#e2a6ff', p: '#7ee787' },
}

const BOLD = `${START}1m`
const NOT_BOLD = `${START}22m`

/** Tells whether a line is bold as a whole, and is not a command. */
export function isTitle(line) {
  return (
    line.startsWith(BOLD) && !line.startsWith(`${BOLD}$ `) && line.indexOf(NOT_BOLD) === line.length - NOT_BOLD.length
  )
}

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
  if (code === 0) Object.assign(style, { bold: false, underlined: false, colour: undefined })
  else if (code === 1) style.bold = true
  else if (code === 4) style.underlined = true
  else if (code === 22) style.bold = false
  else if (code === 24) style.underlined = false
  else if (code === 39) style.colour = undefined
  else if (code in COLOURS) style.colour = COLOURS[code]
}

function span({ text, bold, underlined, colour }) {
  const classes = [colour, bold && 'b', underlined && 'n'].filter(Boolean)
  return classes.length === 0 ? escapeXml(text) : `<tspan class="${classes.join(' ')}">${escapeXml(text)}</tspan>`
}

/** Lays lines out in rows of the terminal, each with the second from which it is shown. */
function timelineOf(lines, columns) {
  const rows = []
  let second = 0.6
  let hasOutput = false
  for (const line of lines) {
    const isTyped = stripVTControlCharacters(line).startsWith('$ ')
    if ((isTyped || isTitle(line)) && hasOutput) {
      second += PAUSE_S.afterOutput
      hasOutput = false
    }
    if (isTyped) second += PAUSE_S.beforeTyping
    for (const text of wrapAnsi(line, columns, { hard: true, trim: false }).split('\n')) {
      const cells = stripVTControlCharacters(text).length
      const typing = isTyped ? cells * TYPING_S : 0
      rows.push({ second, spans: spansOf(text), cells, typing })
      second += typing
    }
    if (isTyped) {
      second += PAUSE_S.beforeOutput
      hasOutput = true
    }
    if (isTitle(line)) second += PAUSE_S.title
  }
  return { rows, length: Math.ceil(second + PAUSE_S.end) }
}

/**
 * Returns the picture of `height` rows, which scrolls. `lines` are what a terminal shows, with their escape sequences; those that begin
 * with a dollar sign are typed.
 */
export function renderTerminal(lines, { columns, height, title }) {
  const { rows, length } = timelineOf(lines, columns)
  const share = (second) => Number(((second / length) * 100).toFixed(2))
  const parts = rows.map((row, at) => partOf(row, at, share))
  const box = { width: Math.ceil(columns * CELL.width + 2 * MARGIN.left), height: MARGIN.top + height * CELL.height }
  const full = box.height + MARGIN.bottom
  const style = [
    stillStyle(length),
    scrolling(rows, height, share),
    ...new Set(parts.map(({ style }) => style)),
    '@media (prefers-reduced-motion:reduce){*{animation:none!important}}',
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${box.width} ${full}" width="${box.width}" height="${full}" role="img" aria-labelledby="t">
<title id="t">${escapeXml(title)}</title>
<style>
${style.join('\n')}
</style>
<clipPath id="w"><rect y="${MARGIN.top - CELL.height}" width="${box.width}" height="${height * CELL.height + 6}"/></clipPath>
<rect class="f" x=".5" y=".5" width="${box.width - 1}" height="${full - 1}" rx="10"/>
<circle cx="22" cy="18" r="6" fill="#ff5f57"/><circle cx="42" cy="18" r="6" fill="#febc2e"/><circle cx="62" cy="18" r="6" fill="#28c840"/>
<g clip-path="url(#w)"><g class="s">
${parts.map(({ content }) => content).join('\n')}
</g></g>
</svg>
`
}

const declared = (theme) =>
  Object.entries(theme)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')

function stillStyle(length) {
  return [
    `svg{${declared(THEMES.light)}}`,
    `@media (prefers-color-scheme:dark){svg{${declared(THEMES.dark)}}}`,
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--fg);white-space:pre}',
    '.f{fill:var(--bg);stroke:var(--line)}.b{font-weight:600}.n{text-decoration:underline}.t{fill:var(--p)}',
    ...Object.values(COLOURS).map((name) => `.${name}{fill:var(--${name})}`),
    '.k{fill:var(--fg)}.u{fill:var(--bg)}.p{opacity:0}',
    `text,.p,.s{animation-duration:${length}s;animation-iteration-count:infinite}`,
  ].join('\n')
}

/** One row: shown from its second on. What is typed is uncovered letter by letter by a cursor that moves over it. */
function partOf({ second, spans, cells, typing }, at, share) {
  if (spans.length === 0) return { style: '', content: '' }
  const y = MARGIN.top + at * CELL.height
  const from = share(second)
  const name = `s${String(from).replace('.', '_')}`
  const appear = `@keyframes ${name}{0%,${from}%{opacity:0}${(from + 0.01).toFixed(2)}%,to{opacity:1}}`
  const width = (cells * CELL.width).toFixed(1)
  const text = `<text x="${MARGIN.left}" y="${y}" textLength="${width}"${typing > 0 ? ' class="t"' : ''} style="animation-name:${name}" xml:space="preserve">${spans.map(span).join('')}</text>`
  if (typing === 0) return { style: appear, content: text }
  const until = share(second + typing)
  const move = `@keyframes t${at}{0%,${from}%{opacity:0;transform:none}${(from + 0.01).toFixed(2)}%{opacity:1;transform:none;animation-timing-function:steps(${cells})}${until}%{opacity:1;transform:translateX(${width}px)}${(until + 0.01).toFixed(2)}%,to{opacity:0;transform:translateX(${width}px)}}`
  const cover = `<g class="p" style="animation-name:t${at}"><rect class="u" x="${MARGIN.left}" y="${y - 14}" width="${width}" height="${CELL.height}"/><rect class="k" x="${MARGIN.left}" y="${y - 13}" width="8" height="17"/></g>`
  return { style: `${appear}\n${move}`, content: `${text}${cover}` }
}

/** Moves the rows up when there is no room for the next one. Without motion the last rows are shown. */
function scrolling(rows, height, share) {
  const moves = rows.flatMap(({ second }, at) => (at < height ? [] : [[second, at - height + 1]]))
  const bySecond = new Map(moves)
  const shift = (count) => `transform:translateY(${-count * CELL.height}px)`
  let before = 0
  const frames = [...bySecond].map(([second, count]) => {
    const at = share(second)
    const frame = `${at}%{${shift(before)}}${(at + 0.01).toFixed(2)}%{${shift(count)}}`
    before = count
    return frame
  })
  return `.s{${shift(before)};animation-name:scroll}\n@keyframes scroll{0%{transform:none}${frames.join('')}to{${shift(before)}}}`
}
