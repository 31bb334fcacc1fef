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
  // A browser does not say why a socket was refused: only a request tells a server that is gone from one that refuses the token.
  hub.onLoss(() => void status.refresh())
  // A server that refuses the token will refuse it again, so retrying is useless.
  effect(() => {
    if (status.problem.value?.code === 'UNAUTHORIZED') hub.close()
  })
}
const app = document.getElementById('app')
if (app) render(<App />, app)
