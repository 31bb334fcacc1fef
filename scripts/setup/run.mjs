import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { stripVTControlCharacters } from 'node:util'

const LINES_KEPT = 2000
const LINES_FIRST = 15
const LINES_LAST = 40
const HEARTBEAT_MS = 15_000
const REDRAW_MS = 100
const NICE = 10
const FRAMES = ['|', '/', '-', '\\']

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}

/** Shows that work goes on: one line redrawn on a terminal, a line now and then in a log. */
function showProgress(label, started, lastLine) {
  const { isTTY, columns = 80 } = process.stdout
  if (!isTTY) {
    console.log(`${label} ...`)
    const timer = setInterval(() => console.log(`  ${seconds(started)}: ${lastLine()}`), HEARTBEAT_MS)
    return () => clearInterval(timer)
  }
  let frame = 0
  const timer = setInterval(() => {
    frame = (frame + 1) % FRAMES.length
    const line = `${FRAMES[frame]} ${label}  ${seconds(started)}  ${lastLine()}`
    process.stdout.write(`\r\u001b[2K${line.slice(0, columns - 1)}`)
  }, REDRAW_MS)
  return () => {
    clearInterval(timer)
    process.stdout.write('\r\u001b[2K')
  }
}

/** Keeps the last lines of what a child prints, without colours and control characters. */
function collectLines(child) {
  const lines = []
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream.setEncoding('utf8').on('data', (text) => {
      const parts = (rest + text).split(/\r?\n|\r/)
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const line = stripVTControlCharacters(part)
          .replace(/\p{Cc}/gu, ' ')
          .trimEnd()
        if (line !== '') lines.push(line)
      }
      lines.splice(0, lines.length - LINES_KEPT)
    })
  }
  return lines
}

/** Some tools say what is wrong first, others last. */
function excerpt(lines) {
  if (lines.length <= LINES_FIRST + LINES_LAST) return lines
  return [...lines.slice(0, LINES_FIRST), '...', ...lines.slice(-LINES_LAST)]
}

/** Leaves the processor to others; not every system lets a process do that. */
function stepBack(child) {
  try {
    setPriority(child.pid ?? 0, NICE)
  } catch {
    // It takes its share then.
  }
}

/**
 * Runs one command with visible progress; on failure throws an error that ends with what the command said last. Beside something else
 * it shows nothing, and ends with that.
 */
export async function run(label, { command, args, shell = false }, cwd, { signal, isBeside = false } = {}) {
  const started = Date.now()
  const child = spawn(command, args, { cwd, shell, signal, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = collectLines(child)
  if (isBeside) stepBack(child)
  const stop = isBeside ? () => undefined : showProgress(label, started, () => (lines.at(-1) ?? '').trim())
  const outcome = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `exit ${code ?? signal}`))
  })
  stop()
  if (outcome === undefined) {
    if (!isBeside) console.log(`done: ${label}  ${seconds(started)}`)
    return
  }
  if (signal?.aborted) throw new Error(`${label} was not finished`)
  console.error(
    excerpt(lines)
      .map((line) => `  | ${line}`)
      .join('\n'),
  )
  throw Object.assign(new Error(`${label} failed after ${seconds(started)} (${outcome})`), {
    hint: `to see all that it says: ${[command, ...args].join(' ')}`,
  })
}
