import path from "node:path";
import ts from "typescript";
import { root } from "./program.ts";

/** Format a text as a cell: on one line, with links to the pages that it names. */
export const formatCell = (doc: string): string =>
  doc
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .replaceAll(/ \(docs\/(\w+)\/([\w-]+)\.md(#[\w-]+)?\)/g, (_, folder, page, anchor = "") => {
      const name = folder === "guide" ? folder : page.replaceAll("-", " ");
      return ` ([${name}](../${folder}/${page}.md${anchor}))`;
    })
    .trim();

/** The declaration of an exported name of a file. */
function exportedIn(program: ts.Program, file: string, name: string): ts.Symbol {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path.join(root, file));
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module && checker.getExportsOfModule(module).find((each) => each.name === name);
  const symbol =
    exported && exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  if (symbol === undefined) throw new Error(`Expected ${name} in ${file}.`);
  return symbol;
}

/** The names of the members of an interface or a table, with their docstrings on one line. */
export function docsIn(
  program: ts.Program,
  file: string,
  name: string,
): readonly (readonly [string, string])[] {
  const checker = program.getTypeChecker();
  const symbol = exportedIn(program, file, name);
  const [declaration] = symbol.declarations ?? [];
  const type =
    declaration !== undefined && ts.isVariableDeclaration(declaration)
      ? checker.getTypeOfSymbol(symbol)
      : checker.getDeclaredTypeOfSymbol(symbol);
  return checker.getPropertiesOfType(type).map((property) => {
    const doc = ts.displayPartsToString(property.getDocumentationComment(checker));
    if (doc === "") throw new Error(`Expected a docstring of ${property.name} in ${name} (${file}).`);
    return [property.name, formatCell(doc)];
  });
}

/** A member of a union of objects that differ in their `type`. */
interface UnionMember {
  readonly type: string;
  /** The names of its other fields. */
  readonly fields: readonly string[];
  /** The docstring before it, on one line. */
  readonly doc: string;
}

/** The members of an exported union, in its order. */
export function unionMembersIn(program: ts.Program, file: string, name: string): readonly UnionMember[] {
  const checker = program.getTypeChecker();
  const declaration = exportedIn(program, file, name).declarations?.find(ts.isTypeAliasDeclaration);
  if (declaration === undefined || !ts.isUnionTypeNode(declaration.type))
    throw new Error(`Expected ${name} in ${file} to be a union.`);
  return declaration.type.types.map((node) => {
    const properties = checker.getPropertiesOfType(checker.getTypeFromTypeNode(node));
    const discriminant = properties.find((property) => property.name === "type");
    const type = discriminant && checker.getTypeOfSymbol(discriminant);
    const doc = docBefore(node);
    if (type === undefined || !type.isStringLiteral() || doc === "")
      throw new Error(`Expected a type and a docstring of ${node.getText()} in ${name} (${file}).`);
    const fields = properties.map((property) => property.name).filter((each) => each !== "type");
    return { type: type.value, fields, doc: formatCell(doc) };
  });
}

/** The docstring that stands right before a node, or before the `|` before it. */
export function docBefore(node: ts.Node): string {
  const before = node.getSourceFile().text.slice(0, node.getStart());
  const [, doc = ""] = /\/\*\*((?:(?!\*\/).)*)\*\/\s*\|?\s*$/s.exec(before) ?? [];
  return doc
    .replaceAll(/\n\s*\*/g, "\n")
    .replaceAll(/\s+/g, " ")
    .trim();
}
