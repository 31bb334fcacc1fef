// What a clone may put in place of the files that hub, watcher and shared memory read: links, FIFOs, folders, too much.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { createWatcher } from '../dist/watcher/index.js'
import { freshMemory, isWindows } from './support/memory.mjs'
import { readLines, root } from './support/project.mjs'
import { until } from './support/waiting.mjs'

const READERS = {
  '.forge/server-ports.json': ['hub/ports.js', 'readHubPort(project)'],
  '.forge/secrets.json': ['openbrain/secrets.js', 'secretOf("openbrain", project, {}) ?? null'],
  '.forge.json': ['watcher/rules.js', 'readRules(project)'],
  '.gitignore': ['watcher/ignored.js', 'new Ignored(project).has("a/file", false)'],
}

/** Reads a file in a process of its own, which may hang: it is given up on then. */
function readElsewhere(memory, file) {
  const [module, expression] = READERS[file]
  const name = /\w+/.exec(expression.replace('new ', ''))[0]
  const program = `import { ${name} } from ${JSON.stringify(pathToFileURL(join(root, 'dist', module)).href)}
    const project = ${JSON.stringify(memory.project)}
    try { console.log(JSON.stringify(${expression})) } catch (error) { console.log(JSON.stringify(String(error.message))) }`
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 120_000,
    env: { ...process.env, FORGE_HOME: memory.home },
  })
  assert.equal(signal, null, `${file} hangs`)
  return stdout
}

/** What replaces a file, by kind. */
function plant(kind, path, outside) {
  if (kind === 'link') symlinkSync(outside, path)
  else if (kind === 'FIFO') execFileSync('mkfifo', [path])
  else if (kind === 'device') symlinkSync('/dev/zero', path)
  else mkdirSync(path)
}

for (const file of Object.keys(READERS)) {
  test(`${file} of a clone is neither followed out of it nor waited for`, (t) => {
    if (isWindows) return
    for (const kind of ['link', 'FIFO', 'device', 'folder']) {
      const memory = freshMemory(t)
      mkdirSync(memory.forge(), { recursive: true })
      const outside = join(memory.folder, `outside-${kind}`)
      const rule = { name: 'outside', glob: 'a/*' }
      const content = {
        openbrain: { key: 'not-of-this-project' },
        watch: { rules: [rule] },
        ws: 3101,
        pid: process.pid,
      }
      writeFileSync(outside, file === '.gitignore' ? 'a/\n' : JSON.stringify(content), { mode: 0o600 })
      chmodSync(outside, 0o600)
      plant(kind, join(memory.project, file), outside)
      const read = readElsewhere(memory, file)
      assert.doesNotMatch(read, /not-of-this-project|"name":"outside"|"ws":3101|^true/, `${file} as ${kind}`)
    }
  })
}

test('a rule of the watcher captures no text of a file outside, through any link', async (t) => {
  if (isWindows) return
  const memory = freshMemory(t)
  mkdirSync(join(memory.project, 'notes'))
  writeFileSync(join(memory.folder, 'private'), 'a private text of another place')
  const watcher = await createWatcher({
    projectDir: memory.project,
    rules: [{ name: 'notes', glob: 'notes/*', body: '{path}: {content}' }],
    debounceMs: 20,
  })
  t.after(() => watcher.close())
  symlinkSync(join(memory.folder, 'private'), join(memory.project, 'notes', 'a-link'))
  symlinkSync(join(memory.project, 'notes', 'own'), join(memory.project, 'notes', 'b-link'))
  writeFileSync(join(memory.project, 'notes', 'own'), 'a text of our own')
  await until(
    () => watcher.state().captures >= 2,
    () => JSON.stringify(watcher.state()),
  )
  await watcher.close()
  const texts = readLines(memory.raw).map(({ content }) => content)
  assert.ok(texts.some((text) => text === 'notes/own: a text of our own'))
  assert.ok(
    texts.every((text) => !text.includes('private text')),
    texts.join('\n'),
  )
})
