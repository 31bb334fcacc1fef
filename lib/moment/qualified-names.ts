// Qualified names, such as `Frame::encode`, `Process.sleep` and `CheckoutController@store`: what a text says about one member.

/** A name with its owner. */
export interface QualifiedName {
  /** As written: `Shop.Repo.insert`. */
  whole: string
  /** The last part before the member: `Repo`. */
  owner: string
  member: string
}

const QUALIFIED =
  /(?<![\w./@#:-])((?:[A-Za-z_]\w*(?:::|\.)){0,6})([A-Za-z_]\w{1,63})(?:::|[.@#])([A-Za-z_]\w{2,63})(?![\w/@])/g
/** The characters behind a name that show how it is used. */
const AFTER_READ = 80
/** Receivers that name no type. */
const ANONYMOUS = /^(this|self|super|cls)$/
/** What follows the dot of a file, a domain or an abbreviation. */
const SUFFIX =
  /^(tsx|jsx|mjs|cjs|mts|cts|json5?|ya?ml|toml|lock|exs|erl|hrl|java|kts|scala|cpp|hpp|html?|s?css|less|sql|xml|txt|php|vue|svelte|conf|ini|cfg|env|lua|swift|dart|proto|gradle|bat|ps1|zsh|bash|mdx?|rst|csv|png|svg|pdf|zip|log|com|org|net|dev)$/i

/** Returns the qualified names in a text. */
export function qualifiedNamesIn(text: string): QualifiedName[] {
  return [...text.matchAll(QUALIFIED)].flatMap(([whole, , owner = '', member = '']) => {
    const isFile = SUFFIX.test(member) && !whole.includes('::')
    return ANONYMOUS.test(owner) || isFile ? [] : { whole, owner, member }
  })
}

/** Returns whether a text contains a name as a whole, or as the beginning of a longer one. In lower case it must be called or indexed: `app.ride` may be a package. */
export function hasName(text: string, name: string): boolean {
  const isPlain = /^[a-z\d.]+$/.test(name)
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const after = text.slice(at + name.length, at + name.length + AFTER_READ)
    const isWhole = !/[\w.:]/.test(text.charAt(at - 1)) && !/^\w/.test(after)
    if (isWhole && (!isPlain || /^(\.\w+)?[([]/.test(after))) return true
  }
  return false
}

/** Returns whether a type is named like a file: `frame.rs` and `Frame`, `save_game.rb` and `SaveGame`. */
export function isNamedAfter(type: string, path: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1)
  return plain(type) === plain(file.split('.')[0] ?? '')
}

function plain(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase()
}
