// Finds a browser for the tests of the dashboard. Where that is allowed, installs the one that the system packages.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './run.mjs'

const NAMES = [
  // The same engine without windows: a page takes a fifth of the processor time.
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'msedge',
]
const MAC = ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
)
const WINDOWS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
]

const HINTS = {
  linux: 'install the package "chromium-headless-shell" (or "chromium", or Google Chrome) and run the same command again',
  darwin: 'install Google Chrome, Chromium or Microsoft Edge in /Applications and run the same command again',
  win32: 'install Google Chrome or Microsoft Edge and run the same command again',
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function candidates() {
  const { platform, env } = process
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const onPath = folders.flatMap((folder) => {
    return NAMES.map((name) => join(folder, platform === 'win32' ? `${name}.exe` : name))
  })
  if (platform === 'darwin') return [...MAC, ...onPath]
  if (platform !== 'win32') return onPath
  const roots = [env.ProgramFiles, env['ProgramFiles(x86)'], env.LOCALAPPDATA].filter(Boolean)
  return [...roots.flatMap((root) => WINDOWS.map((path) => join(root, path))), ...onPath]
}

/** Returns the path of an installed browser; FORGE_MEMORY_BROWSER names another one. */
export function findBrowser() {
  const chosen = process.env.FORGE_MEMORY_BROWSER
  return chosen ? (isProgram(chosen) ? chosen : undefined) : candidates().find(isProgram)
}

function canInstall() {
  return process.platform === 'linux' && process.getuid?.() === 0 && isProgram('/usr/bin/apt-get')
}

async function install(root) {
  const apt = (...args) => ({ command: 'apt-get', args: ['-y', '--no-install-recommends', ...args] })
  await run('looking for the package of a browser', apt('update'), root)
  // Distributions that package Chromium as a whole only have no other.
  const light = run('installing chromium-headless-shell', apt('install', 'chromium-headless-shell'), root)
  await light.catch(() => run('installing chromium', apt('install', 'chromium'), root))
}

/** Makes sure that there is a browser, or says what to install. */
export async function requireBrowser(root) {
  if (!findBrowser() && !process.env.FORGE_MEMORY_BROWSER && canInstall()) await install(root)
  const found = findBrowser()
  if (found) return found
  const chosen = process.env.FORGE_MEMORY_BROWSER
  const what = chosen
    ? `FORGE_MEMORY_BROWSER is no program: ${chosen}`
    : 'the tests of the dashboard need a browser, but none was found'
  throw Object.assign(new Error(what), {
    hint: `${HINTS[process.platform] ?? HINTS.linux}; FORGE_MEMORY_BROWSER may name its path`,
  })
}
