// npm start: sets the checkout up as far as needed, then serves a memory and prints the address of its dashboard. Needs
// nothing but Node and Rust.
//   npm start                 serves the folder that it is started in; --port, --host and --open as forge-memory serve
//   npm start -- --dir DIR    serves that folder
//   npm start -- --tour       runs the guided tour in the terminal instead
// What only shared stores, past sessions, the code graph and models of sentences need is built while the memory is served.
import { launch } from './setup/launch.mjs'

const SERVING = `serving the dashboard: open the address below, and leave this running
next, in another terminal: npm link (it puts forge-memory on your PATH)`

launch(async ({ prepare, prepareBeside, root }) => {
  const { spawn } = await import('node:child_process')
  const { mkdirSync } = await import('node:fs')
  const { join, resolve } = await import('node:path')
  const { commandLine } = await import('./setup/command-line.mjs')
  const { program, args, dir } = commandLine(process.argv.slice(2), root)
  const next = program === 'main' ? SERVING : undefined
  await prepare({ later: ['engine', 'addons'], next })
  const folder = resolve(process.env.INIT_CWD ?? process.cwd(), dir ?? '.')
  if (program === 'main') mkdirSync(folder, { recursive: true })
  const place = program === 'main' ? ['--project', folder] : []
  const child = spawn(process.execPath, [join(root, 'dist', 'cli', `${program}.js`), ...args, ...place], {
    stdio: 'inherit',
  })
  const ended = new AbortController()
  child.once('exit', () => ended.abort())
  const beside = prepareBeside('engine', ended.signal).then(() => prepareBeside('addons', ended.signal))
  // Both get Ctrl+C; the child ends in order, and this one with it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  const code = await new Promise((done) => child.once('exit', (code) => done(code ?? 1)))
  await beside
  return code
})
