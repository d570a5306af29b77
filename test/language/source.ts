import ts from "typescript";
import { HEADLESS_DOCSTRING, HEADLESS_SENTENCE, HEADLESS_TITLE, type Passage } from "./faults.ts";

/** The comments of a file, each once. */
export function commentsIn(text: string, file = "a.ts"): readonly Passage[] {
  const source = sourceOf(text, file);
  const found = new Map<number, Passage>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])
      found.set(pos, comment(lineAt(source, pos), text.slice(pos, end)));
    ts.forEachChild(node, visit);
  };
  visit(source);
  visit(source.endOfFileToken);
  return [...found.values()];
}

/** The string and template literals of a file, and the texts of its JSX. */
export function literalsIn(text: string, file = "a.ts"): readonly Passage[] {
  const source = sourceOf(text, file);
  const found: Passage[] = [];
  const visit = (node: ts.Node): void => {
    const literal = ts.isJsxText(node) ? node.text : literalText(node);
    if (literal !== undefined)
      found.push({ line: lineAt(source, node.getStart()), text: literal, headless: HEADLESS_SENTENCE });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The titles of the tests of a file. Only the outermost ones need a subject: those inside continue them. */
export function titlesIn(text: string, file = "a.ts"): readonly Passage[] {
  const source = sourceOf(text, file);
  const found: Passage[] = [];
  const visit = (node: ts.Node, headless: RegExp | undefined): void => {
    const title = ts.isCallExpression(node) && isTest(node.expression) ? titleOf(node) : undefined;
    if (title !== undefined) found.push({ line: lineAt(source, node.getStart()), text: title, headless });
    const inside = title === undefined ? headless : undefined;
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(source, HEADLESS_TITLE);
  return found;
}

const sourceOf = (text: string, file: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

const lineAt = (source: ts.SourceFile, position: number): number =>
  source.getLineAndCharacterOfPosition(position).line + 1;

/** The words of a comment, without its marks. Only a docstring needs a subject. */
const comment = (line: number, text: string): Passage => ({
  line,
  text: text.replaceAll(/^\/\*\*?|^\/\/|\*\/$|\n\s*(?:\*(?!\/)|\/\/)/g, "\n"),
  headless: text.startsWith("/**") ? HEADLESS_DOCSTRING : undefined,
});

/** The text of a literal, with the source of its expressions. */
function literalText(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.templateSpans.reduce(
    (text, { expression, literal }) => `${text}\${${expression.getText()}}${literal.text}`,
    node.head.text,
  );
}

/** Match `test`, `it` and `describe`, and their forms such as `test.each(...)`. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return ["describe", "it", "test"].includes(callee.text);
  return (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) && isTest(callee.expression);
}

const titleOf = ({ arguments: [title] }: ts.CallExpression): string | undefined =>
  title === undefined ? undefined : literalText(title);
