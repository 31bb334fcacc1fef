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

/** Ends a child with all that it has started: a compiler would go on for minutes, and hold its locks. */
function end(child) {
  if (process.platform === 'win32') return child.kill()
  try {
    process.kill(-child.pid)
  } catch {
    // It has ended, or was never begun.
  }
}

/** What can be done about a command that failed. */
function hintFor(lines, words) {
  const isFull = lines.some((line) => /No space left on device|ENOSPC|os error 112/.test(line))
  if (isFull)
    return 'the disk is full: a build takes about 3 GB. Free some, and run the same command again: it goes on from here'
  return `to see all that it says: ${words.map(quoted).join(' ')}`
}

/** A word as a shell reads it. */
const quoted = (word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word}"`)

/**
 * Runs one command with visible progress; on failure throws an error that ends with what the command said last. Beside something else
 * it shows nothing, and ends with that.
 */
export async function run(label, { command, args, shell = false }, cwd, { signal, isBeside = false } = {}) {
  const started = Date.now()
  signal?.throwIfAborted()
  // What may be ended early is a group of its own, so that it ends with all that it has started.
  const detached = signal !== undefined && process.platform !== 'win32'
  const child = spawn(command, args, { cwd, shell, detached, stdio: ['ignore', 'pipe', 'pipe'] })
  const onAbort = () => end(child)
  signal?.addEventListener('abort', onAbort)
  const lines = collectLines(child)
  if (isBeside) stepBack(child)
  const stop = isBeside ? () => undefined : showProgress(label, started, () => (lines.at(-1) ?? '').trim())
  const outcome = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `exit ${code ?? signal}`))
  })
  stop()
  signal?.removeEventListener('abort', onAbort)
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
    hint: hintFor(lines, [command, ...args]),
  })
}
