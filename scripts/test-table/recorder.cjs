// Loaded into every Node process of the specifications while the table of tests is written. Node itself notes which functions run; here
// is what it does not see: which files of the checkout are read, and which functions of the addon are called.
const fs = require('node:fs')
const Module = require('node:module')
const { basename, join, relative, resolve } = require('node:path')
const { fileURLToPath } = require('node:url')
const v8 = require('node:v8')
const { threadId } = require('node:worker_threads')

const folder = process.env.NODE_V8_COVERAGE
const root = resolve(__dirname, '../..')
/** Much of what tests start is killed, and then says nothing more. What lives long notes less often: each time is a megabyte. */
const NOTED_FIRST_MS = 300
const NOTED_EVERY_MS_MAX = 10_000

const FILES = ['readFile', 'readFileSync', 'open', 'openSync', 'createReadStream', 'copyFile', 'copyFileSync']
const FOLDERS = ['readdir', 'readdirSync', 'opendir', 'opendirSync', 'cp', 'cpSync']

const noted = new Set()
let news = ''

function note(what) {
  if (noted.has(what)) return
  noted.add(what)
  news += `${what}\n`
}

function notePath(path, ending) {
  if (typeof path !== 'string' && !(path instanceof URL)) return
  const name = relative(root, typeof path === 'string' ? resolve(path) : fileURLToPath(path)).replaceAll('\\', '/')
  if (!name.startsWith('..')) note(`read ${name}${ending}`)
}

/** Replaces functions of a module by ones that note their first argument. */
function watch(module, names, endingFor) {
  for (const name of names.filter((name) => module[name] !== undefined)) {
    const original = module[name]
    module[name] = Object.assign(function watched(path, ...rest) {
      notePath(path, endingFor(name, rest[0]))
      return Reflect.apply(original, this, [path, ...rest])
    }, original)
  }
}

/** A folder is noted with what is looked at in it: its own entries, or all below it. */
const endingOfFolder = (name, options) => (name.startsWith('cp') || options?.recursive ? '/**' : '/*')

function watchAddon() {
  const load = Module._extensions['.node']
  Module._extensions['.node'] = (module, path) => {
    load(module, path)
    if (!basename(path).startsWith('forge-memory.')) return
    for (const [name, value] of Object.entries(module.exports)) {
      if (typeof value !== 'function') continue
      module.exports[name] = new Proxy(value, {
        apply: (target, self, args) => {
          note(`call ${name}`)
          return Reflect.apply(target, self, args)
        },
      })
    }
  }
}

if (folder) {
  const { appendFileSync } = fs
  const file = join(folder, `noted-${process.pid}-${threadId}.txt`)
  const write = () => {
    try {
      if (news !== '') appendFileSync(file, news)
    } catch {
      // What the test takes away from this process may be the right to write.
    }
    news = ''
  }
  for (const module of [fs, fs.promises]) {
    watch(module, FILES, () => '')
    watch(module, FOLDERS, endingOfFolder)
  }
  Module.syncBuiltinESMExports()
  watchAddon()
  process.on('exit', write)
  const noteLater = (delay) => {
    const noteNow = () => {
      write()
      v8.takeCoverage()
      noteLater(Math.min(2 * delay, NOTED_EVERY_MS_MAX))
    }
    setTimeout(noteNow, delay).unref()
  }
  noteLater(NOTED_FIRST_MS)
}
