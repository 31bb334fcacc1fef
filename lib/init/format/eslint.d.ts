// The declarations of `toml-eslint-parser` name a type of eslint, which is not needed to parse.
declare module 'eslint' {
  export namespace SourceCode {
    type VisitorKeys = Record<string, readonly string[]>
  }
}
