// Every view of the dashboard, and what opens over them.

const press = (...keys) => {
  return async (page) => {
    for (const key of keys) await page.keyboard.press(key)
  }
}

async function askPalette(page) {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('payment')
  await page.getByRole('option', { name: /^Search for/ }).waitFor()
}

async function chooseRows(page) {
  await page.locator('.rows .hit').first().waitFor()
  for (const key of ['x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByRole('toolbar', { name: 'Selected memories' }).waitFor()
}

async function askForget(page) {
  await chooseRows(page)
  await page.getByRole('toolbar', { name: 'Selected memories' }).getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('dialog').waitFor()
}

async function openNumbers(page) {
  for (const summary of await page.locator('.numbers summary').all()) await summary.click()
}

async function openFilters(page) {
  const fold = page.locator('details.fold summary')
  if ((await fold.count()) > 0) await fold.first().click()
}

async function askRecall(page) {
  await page.locator('#recall-text').fill('tests of the payment')
  await page.waitForFunction(() => document.querySelectorAll('.waiting').length === 0)
}

async function writeCapture(page) {
  await page.keyboard.press('c')
  await page.keyboard.type('First line of what was learned')
  await page.keyboard.press('Enter')
  await page.keyboard.type('and a second one, which is longer than the first')
}

const hasRecords = ({ count }) => count > 0
const hasId = ({ id }) => id !== undefined

/**
 * `when` tells whether a project has what the picture shows; `isScreen`, that only the screen is taken and not the whole page, so that what
 * lies over the page is where it would be.
 */
export const VIEWS = [
  { name: 'home', hash: '#/home' },
  { name: 'home-screen', hash: '#/home', isScreen: true },
  { name: 'home-numbers', hash: '#/home', act: openNumbers, when: hasRecords },
  { name: 'home-recall', isScreen: true, hash: '#/home', act: askRecall },
  { name: 'home-capture', isScreen: true, hash: '#/home', act: writeCapture },
  { name: 'memories', hash: '#/memories' },
  { name: 'memories-by-type', hash: '#/memories?by=type', when: hasRecords },
  { name: 'memories-by-day', hash: '#/memories?by=day', when: hasRecords },
  { name: 'memories-search', hash: '#/memories?q=payment', when: hasRecords },
  { name: 'memories-nothing', hash: '#/memories?q=zzyzx&type=lesson&since=7d', act: openFilters },
  { name: 'memories-chosen', isScreen: true, hash: '#/memories', act: chooseRows, when: hasRecords },
  { name: 'memories-forget', isScreen: true, hash: '#/memories', act: askForget, when: hasRecords },
  { name: 'entry', hash: ({ id }) => `#/entry/${id}`, when: hasId },
  { name: 'entry-edit', hash: ({ id }) => `#/entry/${id}?edit=yes`, when: hasId },
  { name: 'entry-unknown', hash: '#/entry/mem_nothing' },
  { name: 'review', hash: '#/review' },
  { name: 'conflicts', hash: '#/review/conflicts' },
  { name: 'health', hash: '#/health' },
  { name: 'sessions', hash: '#/sessions' },
  { name: 'past-sessions', hash: '#/sessions/past' },
  { name: 'lessons', hash: '#/sessions/backfill' },
  { name: 'settings', hash: '#/health/settings' },
  { name: 'map', hash: '#/memories/map' },
  { name: 'tags', hash: '#/memories/tags' },
  { name: 'projects', hash: '#/home/projects' },
  { name: 'delivery', hash: '#/health/delivery' },
  { name: 'code-graph', hash: '#/health/code' },
  { name: 'provenance', hash: '#/health/provenance' },
  { name: 'palette', isScreen: true, hash: '#/memories', act: askPalette },
  { name: 'keys', isScreen: true, hash: '#/home', act: press('?') },
  { name: 'locked', token: '' },
  { name: 'refused', token: 'another' },
]

export const LOOKS = [
  { name: 'light-desk', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark-desk', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'light-phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'dark-phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
]

export const COUNTS = [0, 20, 20_000]
