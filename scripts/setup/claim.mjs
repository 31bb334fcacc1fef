// One set-up of a clone at a time: npm empties node_modules before it fills it, and two builds would replace each other's files.
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

/** Relative to the clone, because the path of a socket may have about a hundred bytes. */
const SOCKET = join('target', 'setup.sock')

/** A pipe of Windows vanishes with its process; a file of a socket stays, and refuses. */
function addressOf(root) {
  if (process.platform !== 'win32') return SOCKET
  return `\\\\.\\pipe\\forge-memory-${createHash('sha256').update(root).digest('hex')}`
}

/** Runs `work` while no other process sets this clone up. Waits for one that does, and says so; with `signal` in silence, until that. */
export async function whileClaimed(root, work, signal) {
  const release = await claim(root, signal)
  try {
    return await work()
  } finally {
    release()
  }
}

async function claim(root, signal) {
  const address = addressOf(root)
  mkdirSync(join(root, 'target'), { recursive: true })
  for (let isFirst = true; ; isFirst = false) {
    signal?.throwIfAborted()
    const waiting = new Set()
    const server = createServer((socket) => waiting.add(socket.on('error', () => undefined).unref()))
    const refusal = await within(root, () => opened(server, address))
    if (refusal === undefined) {
      server.unref()
      return () => {
        server.close()
        for (const socket of waiting) socket.destroy()
      }
    }
    // Not every file system takes a socket. Two set-ups at once are as before there.
    if (refusal !== 'EADDRINUSE') return () => undefined
    const say = () =>
      isFirst && signal === undefined && console.log('another process sets this clone up: waiting until it is done ...')
    const isLeft = await within(root, () => isLeftBehind(address, say, signal))
    if (isLeft) rmSync(join(root, SOCKET), { force: true })
  }
}

/** Both ends resolve the path of a socket when they are called. */
function within(root, begin) {
  const before = process.cwd()
  process.chdir(root)
  try {
    return begin()
  } finally {
    process.chdir(before)
  }
}

/** Resolves to nothing once the server listens, else to why it does not. */
function opened(server, address) {
  return new Promise((done) => {
    server.once('error', ({ code }) => done(code)).listen(address, () => done(undefined))
  })
}

/** Waits until whoever holds the claim lets go of it; tells whether there is only the file of one that was killed. */
function isLeftBehind(address, say, signal) {
  return new Promise((done) => {
    const socket = connect({ path: address, signal })
    socket.once('connect', say).once('error', ({ code }) => done(code === 'ECONNREFUSED'))
    socket.once('close', () => done(false)).resume()
  })
}
