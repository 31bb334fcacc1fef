import { effect } from '@preact/signals'
import { render } from 'preact'
import '@fontsource-variable/inter/wght.css'
import './style/main.css'
import { App } from './app.js'
import { readAddress, token } from './connection/address.js'
import { hub } from './connection/socket.js'
import { startShortcuts } from './shell/shortcuts.js'
import { startFeed } from './state/feed.js'
import { startPreferences } from './state/preferences.js'
import { startStores, status } from './state/stores.js'

readAddress()
window.addEventListener('hashchange', () => {
  if (readAddress()) location.reload()
})
startPreferences()
startShortcuts()
startFeed()
if (token.value !== '') {
  startStores()
  hub.open()
  // A restarted server refuses the old token for ever: retrying would be useless.
  effect(() => {
    if (status.problem.value?.code === 'UNAUTHORIZED') hub.close()
  })
}
const app = document.getElementById('app')
if (app) render(<App />, app)
