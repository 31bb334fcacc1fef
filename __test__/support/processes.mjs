import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The environment of a child: its own home, and nothing of the test runner's but what keeps it on this machine. */
export function childEnvironment(memory, extra) {
  const { NODE_TEST_CONTEXT, ...inherited } = process.env
  return { ...inherited, FORGE_HOME: memory.home, ...extra }
}

/** The path of a program in `support/children`. */
export function childProgram(name) {
  return fileURLToPath(new URL(`./children/${name}.mjs`, import.meta.url))
}

/**
 * Starts a program of `support/children`. It announces itself once it has loaded the addon, waits for `go`, and sends
 * one result.
 */
export function startChild(t, name, memory, input = {}) {
  const child = fork(childProgram(name), [], {
    env: childEnvironment(memory),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const ended = once(child, 'close')
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  let stderr = ''
  child.stderr.on('data', (text) => (stderr += text))
  const failed = ended.then(([code, signal]) => {
    throw new Error(`${name} ended with ${signal ?? code} too early: ${stderr}`)
  })
  failed.catch(() => {})
  const first = new Map()
  const heard = (what) => {
    if (!first.has(what)) first.set(what, withResolver())
    return first.get(what)
  }
  child.on('message', (message) => {
    for (const [what, value] of Object.entries(message)) heard(what).resolve(value)
  })
  /** What the child says first under this name. */
  const said = (what) => Promise.race([heard(what).promise, failed])
  return {
    ready: () => said('ready'),
    said,
    tell: (message) => child.send(message),
    kill: (signal) => child.kill(signal),
    result: async () => {
      const result = await said('result')
      await ended
      return result
    },
    go: () => child.send({ go: { ...input, project: memory.project } }),
  }
}

function withResolver() {
  let resolve
  const promise = new Promise((accept) => (resolve = accept))
  return { promise, resolve }
}

/** Starts several children at the same moment and returns their results. */
export async function runTogether(children) {
  await Promise.all(children.map((child) => child.ready()))
  const results = children.map((child) => child.result())
  for (const child of children) child.go()
  return Promise.all(results)
}
