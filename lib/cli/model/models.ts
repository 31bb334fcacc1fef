/** The model that is meant when none is named. */
export const KNOWN = 'all-MiniLM-L6-v2'

/** The two models: one for English and one for other languages, both small. */
export const MODELS = [
  { name: KNOWN, what: 'for English: 91 MB to download, 23 MB on disk' },
  {
    name: 'multilingual-e5-small',
    what: 'for 100 languages, also across them: 490 MB to download, 136 MB on disk',
  },
]

/** Where a model is published on the hub. */
export function repositoryOf(name: string): string {
  return `${name === KNOWN ? 'sentence-transformers' : 'intfloat'}/${name}`
}

/** The name of a model that may be named as on the hub, with its publisher. */
export function ownName(name: string): string {
  return MODELS.find((model) => name === repositoryOf(model.name))?.name ?? name
}
