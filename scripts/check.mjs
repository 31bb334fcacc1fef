// npm run check: idiom, formats, lints and types, each command named before it runs; stops at the first that fails.
import { launch } from './setup/launch.mjs'

launch(async ({ root }) => {
  const { spawnSync } = await import('node:child_process')
  const { join } = await import('node:path')
  const { allCrates, engineOptions, largeCrates } = await import('./setup/cargo.mjs')
  const script = (path, ...args) => [process.execPath, join(root, 'node_modules', path), ...args]
  const clippy = (...what) => ['cargo', 'clippy', ...what, ...engineOptions(root), '--', '-D', 'warnings']
  const commands = [
    [process.execPath, join(root, 'scripts/idiom.mjs')],
    ['cargo', 'fmt', '--all', '--check'],
    clippy(...allCrates(root), '--all-targets'),
    clippy(
      ...largeCrates(root).flatMap((crate) => ['-p', `forge-memory-${crate}`]),
      '--lib',
      '--examples',
      '--benches',
    ),
    script('typescript/bin/tsc', '--noEmit'),
    script('typescript/bin/tsc', '-p', 'lib/dashboard'),
    script('@biomejs/biome/bin/biome', 'check'),
  ]
  for (const [command, ...args] of commands) {
    console.log(`\n$ ${[command, ...args].join(' ').replaceAll(root, '')}`)
    const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
    if (error !== undefined || status !== 0) return status ?? 1
  }
  return 0
})
