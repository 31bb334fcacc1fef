// Draws the rooms of lib/ and the modules of the crates, with who uses whom, into docs/rooms.md.
//   --print FOLDER    prints the drawing of another checkout's lib/ instead
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawLibrary, withDrawing } from './rooms/drawing.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs', 'rooms.md')

/** The modules of a crate, as the test of its layers reads them. */
function drawCrate(name) {
  const args = ['run', '--quiet', '--locked', '--package', 'forge-memory-layering', '--example', 'draw']
  const { status, stdout, stderr } = spawnSync('cargo', [...args, join('crates', name, 'src')], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the modules of ${name} were not drawn: ${stderr}`)
  return `\`\`\`mermaid\n${stdout.trim()}\n\`\`\``
}

const other = process.argv.indexOf('--print')
if (other > 0) {
  console.log(drawLibrary(process.argv[other + 1]))
} else {
  let text = withDrawing(readFileSync(page, 'utf8'), 'lib', drawLibrary(root))
  const crates = readdirSync(join(root, 'crates')).filter((name) => text.includes(`<!-- drawing ${name}:`))
  for (const name of crates) text = withDrawing(text, name, drawCrate(name))
  writeFileSync(page, text)
}
