import { hub, type SocketState, socketState } from '../connection/socket.js'
import { Button } from '../part/controls.js'
import { now } from '../show/moment.js'

const WORDS: Record<SocketState['name'], string> = {
  connecting: 'Connecting',
  replaying: 'Catching up',
  live: 'Live',
  polling: 'Every 3 s',
  waiting: 'Offline',
  stopped: 'Stopped',
}

function explanation(state: SocketState): string {
  if (state.name === 'live') return 'Every capture appears at once, whichever process made it.'
  if (state.name === 'polling') return 'This browser has no WebSockets: what happens appears within three seconds.'
  if (state.name !== 'waiting') return 'Connecting to the hub.'
  const seconds = Math.max(0, Math.ceil((state.until - Math.max(now.value, Date.now())) / 1000))
  return `The hub does not answer. Trying again in ${seconds} s. No event is missed: all are fetched when it is back.`
}

/** The state of the live connection, with a button to reconnect now. */
export function Connection() {
  const state = socketState.value
  const isWaiting = state.name === 'waiting'
  return (
    <div class={`connection note is-${state.name}`} title={explanation(state)}>
      <span class="dot connection-dot" aria-hidden="true" />
      <span role="status">{WORDS[state.name]}</span>
      {isWaiting && (
        <Button look="quiet small" onClick={() => hub.open()}>
          Reconnect
        </Button>
      )}
    </div>
  )
}
