// Does in this checkout what a newcomer does, in the order of the README: npm start, asks the server one thing, stops it, and starts
// again. What is committed stays as it is after each.
//   node scripts/newcomer.mjs     .ci/run begins with it, as a newcomer begins with npm start
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
/** A limit for hangs. A start in a fresh clone takes two and a half minutes on two cores. */
const HANGS_MS = 20 * 60_000

/** The files of a newcomer: a home and a project of their own. */
const place = mkdtempSync(join(tmpdir(), 'newcomer '))
const env = { ...process.env, HOME: place, USERPROFILE: place, FORGE_HOME: join(place, '.forge') }
// Compilers are found below the home folder of who runs this.
for (const [name, folder] of [
  ['CARGO_HOME', '.cargo'],
  ['RUSTUP_HOME', '.rustup'],
]) {
  env[name] ??= join(process.env.HOME ?? process.env.USERPROFILE ?? '', folder)
}

/** Runs `npm start` until it serves, and with `last` until it has built that as well; asks it, and stops it. */
async function start(title, last) {
  const began = Date.now()
  console.log(`-- ${title}`)
  const child = spawn('npm', ['start', '--', '--dir', join(place, 'project')], {
    cwd: root,
    env,
    // A group of its own: it is stopped as by a terminal, which signals all of it.
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((done) => child.once('exit', done))
  const output = follow(child)
  const timer = setTimeout(() => stop(child, 'SIGKILL'), HANGS_MS)
  try {
    const [, origin, token] = await output.until(/served at (http:\S+)#(?:token=)?(\S+)/)
    console.log(`-- served after ${Math.round((Date.now() - began) / 1000)} s`)
    await ask(origin, token)
    if (last !== undefined) await output.until(last)
  } finally {
    stop(child, 'SIGINT')
    await ended
    clearTimeout(timer)
  }
  requireClean(title)
}

function stop(child, signal) {
  if (process.platform === 'win32') return spawnSync('taskkill', ['/pid', child.pid, '/t', '/f'])
  process.kill(-child.pid, signal)
}

/** Passes on what a child prints, and waits for it to say something. */
function follow(child) {
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (more) => {
    text += more
    process.stdout.write(more)
  })
  const until = (pattern) =>
    new Promise((done, failed) => {
      const look = () => {
        const match = pattern.exec(stripVTControlCharacters(text))
        if (match !== null) done(match)
      }
      child.stdout.on('data', look)
      child.once('close', () => failed(new Error(`npm start ended before it said ${pattern}`)))
      look()
    })
  return { until }
}

async function ask(origin, token) {
  const answer = await fetch(new URL('api/memory/status', origin), { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`GET /api/memory/status: ${answer.status} ${await answer.text()}`)
  console.log(`-- it answers: ${JSON.stringify(await answer.json()).slice(0, 100)} ...`)
}

function requireClean(title) {
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (stdout !== before) throw new Error(`after ${title}, git status is\n${stdout}`)
}

const { stdout: before } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
try {
  // Stopped before the rest is built, and then with it: a start after each has nothing to complain about.
  await start('npm start')
  await start('npm start, again, until everything is built', /^done: building the code graph/m)
  await start('npm start, a third time')
  console.log('-- npm start works, and changes nothing that is committed')
} catch (error) {
  console.error(`error: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(place, { recursive: true, force: true })
}
