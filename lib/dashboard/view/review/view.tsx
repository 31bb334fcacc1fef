import { Tabs } from '../../part/controls.js'
import { Loaded } from '../../part/panels.js'

import { Heading } from '../../shell/frame.js'
import { useResources } from '../../state/resource.js'
import { addressOf, route } from '../../state/route.js'
import { conflicts, review } from '../../state/stores.js'
import { Conflicts } from '../conflicts.js'
import { Inbox } from './inbox.js'

/** Decisions about proposed and disputed memories, and about contradictions. */
export function ReviewView() {
  useResources(review, conflicts)
  const current = route.value.id === 'conflicts' ? 'conflicts' : ''
  const tabs = [
    { address: addressOf('review'), label: 'Inbox', count: review.value.value?.waiting.length },
    {
      address: addressOf('review', 'conflicts'),
      label: 'Conflicts',
      count: conflicts.value.value?.conflicts.length,
    },
  ]
  return (
    <>
      <Heading title="Review">
        {current === ''
          ? 'What agents proposed is not recalled until you accept it.'
          : 'Two memories that cannot both hold; both count until you decide.'}
      </Heading>
      <Tabs label="What to review" tabs={tabs} current={addressOf('review', current)} />
      {current === '' ? (
        <Loaded from={review} lines={6}>
          {({ waiting }) => <Inbox waiting={waiting} />}
        </Loaded>
      ) : (
        <Loaded from={conflicts} lines={6}>
          {({ conflicts: found }) => <Conflicts found={found} />}
        </Loaded>
      )}
    </>
  )
}
