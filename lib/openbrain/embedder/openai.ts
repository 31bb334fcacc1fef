import { StoreFailure } from '../failure.js'
import { rememberKey } from '../foreign-text.js'
import { isLoopback } from '../settings.js'
import type { Embedder } from './embedder.js'
import { ServedEmbedder } from './served.js'

const MODEL_DEFAULT = 'text-embedding-3-small'

/** Embeds through any server with the `POST .../embeddings` endpoint of OpenAI. */
export function openaiEmbedder(
  url: string | undefined,
  model = MODEL_DEFAULT,
  key?: string,
  insecure = false,
): Embedder {
  if (url === undefined) throw new StoreFailure('misconfigured', 'embedder.url is missing: https://HOST/v1')
  rememberKey(key)
  const embedder = new ServedEmbedder(url, model, {
    name: 'openai',
    path: '/embeddings',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: (name, input) => ({ model: name, input, encoding_format: 'float' }),
    vectors: inOrder,
  })
  const { protocol, hostname } = new URL(url)
  if (key !== undefined && protocol === 'http:' && !isLoopback(hostname) && !insecure) {
    throw new StoreFailure('misconfigured', 'the key of the embedder would travel unencrypted: use https')
  }
  return embedder
}

/** Sorts the items by their `index`; a server may send them in any order. */
function inOrder(value: unknown): unknown {
  const data = (value as { data?: unknown } | undefined)?.data
  if (!Array.isArray(data)) return undefined
  const items = data as { index?: unknown; embedding?: unknown }[]
  return items
    .map((item, at) => ({ at: typeof item?.index === 'number' ? item.index : at, embedding: item?.embedding }))
    .sort((a, b) => a.at - b.at)
    .map(({ embedding }) => embedding)
}
