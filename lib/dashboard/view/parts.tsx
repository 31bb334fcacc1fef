import { Tabs } from '../part/controls.js'
import { useResources } from '../state/resource.js'
import { addressOf, route } from '../state/route.js'
import { status } from '../state/stores.js'

const HEALTH = [
  { id: '', label: 'Checks' },
  { id: 'delivery', label: 'Delivery' },
  { id: 'provenance', label: 'Provenance' },
  { id: 'code', label: 'Code graph' },
  { id: 'settings', label: 'Settings' },
]
const SESSIONS = [
  { id: '', label: 'Notes given' },
  { id: 'past', label: 'Past sessions' },
  { id: 'backfill', label: 'Lessons' },
]

export function HealthParts() {
  useResources(status)
  const failed = status.value.value?.deadLetters ?? 0
  const tabs = HEALTH.map(({ id, label }) => ({
    address: addressOf('health', id),
    label,
    ...(id === 'delivery' && failed > 0 ? { count: failed, isWarning: true } : {}),
  }))
  return <Tabs label="Parts of Health" tabs={tabs} current={addressOf('health', route.value.id)} />
}

export function SessionParts() {
  const tabs = SESSIONS.map(({ id, label }) => ({ address: addressOf('sessions', id), label }))
  return <Tabs label="Parts of Sessions" tabs={tabs} current={addressOf('sessions', route.value.id)} />
}
