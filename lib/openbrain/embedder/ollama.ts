import type { Embedder } from './embedder.js'
import { ServedEmbedder } from './served.js'

const URL_DEFAULT = 'http://127.0.0.1:11434'
const MODEL_DEFAULT = 'nomic-embed-text'

/** Embeds through an Ollama server. */
export function ollamaEmbedder(url = URL_DEFAULT, model = MODEL_DEFAULT): Embedder {
  return new ServedEmbedder(url, model, {
    name: 'ollama',
    path: '/api/embed',
    headers: {},
    body: (name, input) => ({ model: name, input, truncate: true }),
    vectors: (value) => (value as { embeddings?: unknown } | undefined)?.embeddings,
  })
}
