// npm start: sets the checkout up as far as needed, then runs the guided tour. Needs nothing but Node and Rust.
//   npm start                asks for a folder (only on a terminal), default: a temporary one
//   npm start -- --dir DIR   uses that folder
import { launch } from './setup/launch.mjs'

launch(async ({ prepare, root }) => {
  const { spawnSync } = await import('node:child_process')
  const { join } = await import('node:path')
  await prepare()
  const tour = spawnSync(process.execPath, [join(root, 'dist', 'cli', 'tour.js'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  return tour.status ?? 1
})
