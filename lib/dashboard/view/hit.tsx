import type { Hit } from '../connection/shapes.js'
import { Kind } from '../part/kind.js'
import { Moment } from '../part/moment.js'
import { percent, score } from '../show/amount.js'
import { Marked, oneLine } from '../show/text.js'
import { addressOf } from '../state/route.js'

interface HitRowProps {
  hit: Hit
  isReachable?: boolean
}

/** One record in a list; the whole row leads to its page. */
export function HitRow({ hit, isReachable = true }: HitRowProps) {
  return (
    <a class="hit" href={addressOf('entry', hit.id)} tabIndex={isReachable ? 0 : -1}>
      <span class="hit-text" dir="auto">
        <Marked text={oneLine(hit.text)} matched={hit.matched} />
      </span>
      <span class="hit-facts">
        <Kind type={hit.type} />
        {hit.scope === 'global' && <span class="chip">global</span>}
        <span class="hit-source">{oneLine(hit.source)}</span>
        {hit.tags.slice(0, 3).map((tag) => (
          <span class="chip" key={tag}>
            {oneLine(tag)}
          </span>
        ))}
        <span class="hit-end">
          {hit.score > 0 && <span title="how well it matches; higher is better">score {score(hit.score)}</span>}
          <span title="how certain it is">{percent(hit.confidence, 1)} sure</span>
          <Moment at={hit.createdAt} />
        </span>
      </span>
    </a>
  )
}
