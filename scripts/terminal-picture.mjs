// Takes the moving picture at the top of the README: the tour, as the built command takes it in a project of its own.
//   node scripts/terminal-picture.mjs
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawTour } from './screenshots/tour.mjs'
import { launch } from './setup/launch.mjs'

launch(async ({ prepare, root }) => {
  await prepare()
  writeFileSync(join(root, 'docs', 'images', 'terminal.svg'), drawTour(join(root, 'dist', 'cli', 'main.js')))
  console.log('docs/images/terminal.svg')
  return 0
})
