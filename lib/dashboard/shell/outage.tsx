import { hub, lostSince } from '../connection/socket.js'
import { Button, Command } from '../part/controls.js'
import { Icon } from '../part/marks.js'
import { full, time } from '../show/moment.js'

/** The banner while the server is unreachable: it says that the screen may be stale, and how to restart the server. */
export function Outage() {
  const since = lostSince.value
  if (since === undefined) return null
  return (
    <section class="outage" aria-label="The server does not answer">
      <Icon name="warning" />
      <div>
        <p role="status">
          <strong>The server does not answer</strong> since <span title={full(since)}>{time(since)}</span>. What you see
          is from before; nothing is lost, and this page goes on by itself when the server is back. Start it again in
          the folder of the project:
        </p>
        <Command text="forge-memory serve" />
      </div>
      <Button look="small" icon="retry" onClick={() => hub.open()}>
        Try now
      </Button>
    </section>
  )
}
