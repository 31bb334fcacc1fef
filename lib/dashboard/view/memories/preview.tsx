import { Button } from '../../part/controls.js'
import { Markdown } from '../../part/markdown.js'
import { Icon } from '../../part/marks.js'
import { Empty, Trouble, Waiting } from '../../part/panels.js'
import { useEntry } from '../../state/entry.js'
import { pins } from '../../state/preferences.js'
import { addressOf } from '../../state/route.js'
import { Details } from '../entry/facts.js'
import { RecordHead } from '../hit.js'

interface PreviewProps {
  id: string | undefined
  onPin: () => void
}

export function Preview({ id, onPin }: PreviewProps) {
  const { found, problem } = useEntry(id)
  if (id === undefined) return <Empty title="No memory is current">Move through the list with j and k.</Empty>
  if (problem) return <Trouble problem={problem} />
  if (!found) return <Waiting lines={6} />
  const { entry } = found
  const isPinned = pins.value.includes(entry.id)
  return (
    <article class="preview-body" data-record={entry.id} data-text={entry.text}>
      <RecordHead found={found} />
      <Markdown class="entry-text" text={entry.text} />
      <p class="form-actions">
        <a class="button small" href={addressOf('entry', entry.id)}>
          Open
        </a>
        <a class="button small" href={addressOf('entry', entry.id, { edit: 'yes' })} data-shortcut="e">
          <Icon name="edit" />
          Edit
        </a>
        <Button look="small" icon="pin" isPressed={isPinned} onClick={onPin}>
          {isPinned ? 'Unpin' : 'Pin'}
        </Button>
      </p>
      <Details found={found} />
    </article>
  )
}
