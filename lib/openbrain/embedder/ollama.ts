import { OLLAMA_URL } from '../settings.js'
import type { Embedder } from './embedder.js'
import { ServedEmbedder } from './served.js'

const MODEL_DEFAULT = 'nomic-embed-text'

export function ollamaEmbedder(url = OLLAMA_URL, model = MODEL_DEFAULT): Embedder {
  return new ServedEmbedder(url, model, {
    name: 'ollama',
    path: '/api/embed',
    headers: {},
    body: (name, input) => ({ model: name, input, truncate: true }),
    vectors: (value) => (value as { embeddings?: unknown } | undefined)?.embeddings,
  })
}
