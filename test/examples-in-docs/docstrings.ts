import path from "node:path";
import ts from "typescript";
import { root } from "./program.ts";

/** A docstring as the text of a cell: on one line, with links to the guides that it names. */
const formatDoc = (doc: string): string =>
  doc
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .replaceAll(/ \(docs\/guide\/([\w-]+)\.md\)/g, " ([guide](../guide/$1.md))")
    .trim();

/** The names of the members of an interface or a table, with their docstrings on one line. */
export function docsIn(
  program: ts.Program,
  file: string,
  name: string,
): readonly (readonly [string, string])[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path.join(root, file));
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module && checker.getExportsOfModule(module).find((each) => each.name === name);
  const symbol =
    exported && exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declaration = symbol?.declarations?.[0];
  if (symbol === undefined || declaration === undefined) throw new Error(`Expected ${name} in ${file}.`);
  const type = ts.isVariableDeclaration(declaration)
    ? checker.getTypeOfSymbol(symbol)
    : checker.getDeclaredTypeOfSymbol(symbol);
  return checker.getPropertiesOfType(type).map((property) => {
    const doc = ts.displayPartsToString(property.getDocumentationComment(checker));
    if (doc === "") throw new Error(`Expected a docstring of ${property.name} in ${name} (${file}).`);
    return [property.name, formatDoc(doc)];
  });
}
