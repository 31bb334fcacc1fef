// The texts in TypeScript that people read: string literals, templates and text of JSX with more than one word.
import { SyntaxKind } from 'typescript/unstable/ast'
import { parseSources } from '../rooms/typescript-imports.mjs'

/** Attributes of elements that name things and say nothing. */
const SILENT_ATTRIBUTES = new Set(['class', 'className', 'd', 'viewBox', 'style', 'transform', 'points', 'rel'])

/** Calls `tell` with the file and the text of each, `{}` in the place of every value. */
export function textsOfTypeScript(folder, tell) {
  parseSources(folder, (file, source) => {
    visit(source, (text) => tell(file, text))
  })
}

function visit(node, tell) {
  switch (node.kind) {
    case SyntaxKind.ImportDeclaration:
    case SyntaxKind.ExportDeclaration:
    case SyntaxKind.LiteralType:
      return
    case SyntaxKind.JsxAttribute:
      if (SILENT_ATTRIBUTES.has(node.name.text)) return
      break
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
    case SyntaxKind.JsxText:
      tell(node.text)
      return
    case SyntaxKind.TemplateExpression:
      tell(node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join(''))
      for (const { expression } of node.templateSpans) visit(expression, tell)
      return
    // What is put together with a plus sign is read as one text.
    case SyntaxKind.BinaryExpression: {
      const whole = joined(node)
      if (whole !== undefined) {
        tell(whole)
        return
      }
      break
    }
  }
  node.forEachChild((child) => visit(child, tell))
}

function joined(node) {
  if (node.kind === SyntaxKind.StringLiteral || node.kind === SyntaxKind.NoSubstitutionTemplateLiteral) return node.text
  if (node.kind !== SyntaxKind.BinaryExpression || node.operatorToken.kind !== SyntaxKind.PlusToken) return undefined
  const [left, right] = [joined(node.left), joined(node.right)]
  return left === undefined || right === undefined ? undefined : left + right
}
