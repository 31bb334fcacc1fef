// Whether the store still has its last deliveries. One that was restored from an older backup has not: records retired or forgotten since would
// be found there again, and captures since would not, until somebody noticed.
import { type QueuedAgain, queueOwnAgain, showMemory } from '../native.js'
import { type LastTaken, lastTaken, noteTaken } from '../openbrain/backlog.js'
import { receiveFrom } from '../openbrain/client/receive.js'
import { StoreFailure } from '../openbrain/failure.js'
import type { StoreSettings } from '../openbrain/settings.js'
import type { Delivery, KeptThought, ThoughtStore } from '../openbrain/store.js'
import { attempt } from '../shared/problem.js'

export class Taken {
  readonly #settings: StoreSettings
  readonly #store: ThoughtStore
  #last: LastTaken = {}

  constructor(settings: StoreSettings, store: ThoughtStore) {
    this.#settings = settings
    this.#store = store
  }

  /** Queues the records of this machine again when the store has lost its last deliveries. */
  async sendLost(): Promise<QueuedAgain | undefined> {
    const last = lastTaken(this.#settings)
    if (last === undefined || !(await this.#lacks(last))) return undefined
    // Said once: repeated deliveries are noted anew.
    noteTaken(this.#settings, {})
    return queueOwnAgain({ projectDir: this.#settings.projectDir })
  }

  /** Takes note of a delivery that the store has taken. */
  add({ action, id, ids, ruling }: Delivery): void {
    const last = this.#last
    if (action === 'store') last.store = id
    if (action === 'rule' && ruling !== undefined) {
      const { kind, other = '', at } = ruling
      last.rule = { id, kind, other, at }
    }
    if (action !== 'delete') return
    last.delete = id
    const before = lastTaken(this.#settings)
    if (last.store === undefined && before?.store !== undefined && ids.includes(before.store))
      noteTaken(this.#settings, without(before))
    if (last.store !== undefined && ids.includes(last.store)) this.#last = without(last)
  }

  /** Notes the last deliveries, as far as the store has them: others may have forgotten some before. */
  async note(): Promise<void> {
    const { store, rule, delete: deleted } = this.#last
    this.#last = {}
    if (store === undefined && rule === undefined && deleted === undefined) return
    const found = await this.#read([store, rule?.id, deleted])
    if (found === undefined) return
    const has = (id: string | undefined) => found.some(({ thought }) => thought.id === id)
    noteTaken(this.#settings, {
      ...lastTaken(this.#settings),
      ...(store !== undefined && has(store) ? { store } : {}),
      ...(rule !== undefined && isSaid(rule, found) ? { rule } : {}),
      ...(deleted === undefined || has(deleted) ? {} : { delete: deleted }),
    })
  }

  async #lacks({ store, rule, delete: deleted }: LastTaken): Promise<boolean> {
    const found = await this.#read([store, rule?.id, deleted])
    if (found === undefined) return false
    const has = (id: string | undefined) => found.some(({ thought }) => thought.id === id)
    const isUnsaid = rule !== undefined && has(rule.id) && !isSaid(rule, found)
    return (store !== undefined && !has(store) && (await this.#isLost(store))) || isUnsaid || has(deleted)
  }

  /** False of what a colleague has forgotten, and of what a retention removes. */
  async #isLost(id: string): Promise<boolean> {
    await receiveFrom(this.#store, this.#settings).catch(unlessAway)
    return attempt(() => showMemory(id, { projectDir: this.#settings.projectDir }).state === 'current') ?? false
  }

  /** Undefined when the store cannot say it, or does not answer: the delivery reports that. */
  async #read(wanted: (string | undefined)[]): Promise<KeptThought[] | undefined> {
    const ids = wanted.filter((id) => id !== undefined)
    if (ids.length === 0) return undefined
    return this.#store.read?.({ ids, projects: [], limit: ids.length }).catch(unlessAway)
  }
}

/** What a store cannot say now, because it is away, is asked by the next drain. */
export function unlessAway(error: unknown): undefined {
  if (!(error instanceof StoreFailure)) throw error
}

function without({ store: _, ...last }: LastTaken): LastTaken {
  return last
}

function isSaid(rule: NonNullable<LastTaken['rule']>, found: KeptThought[]): boolean {
  const lines = found.find(({ thought }) => thought.id === rule.id)?.rulings ?? []
  return lines.some((line) => {
    const said = JSON.parse(line) as { _action: string; by?: string; with?: string; at: string }
    const other = said.by ?? said.with ?? ''
    return said._action === rule.kind && other === rule.other && Date.parse(said.at) === Date.parse(rule.at)
  })
}
