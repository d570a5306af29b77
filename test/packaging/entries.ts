import path from "node:path";
import ts from "typescript";
import { doors, programWith, root } from "../examples-in-docs/program.ts";

/** A name that an entry of the package exports. */
interface ExportedName {
  readonly name: string;
  readonly isType: boolean;
  /** The docstring of its declaration; empty without one. */
  readonly doc: string;
}

/** The names that each entry of the package exports, sorted. */
export function exportedNames(): ReadonlyMap<string, readonly ExportedName[]> {
  const program = programWith(new Map());
  const checker = program.getTypeChecker();
  const namesOf = (entry: string, source: string): readonly ExportedName[] => {
    const file = program.getSourceFile(path.join(root, source));
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`Expected a module for ${entry}, found none at ${source}.`);
    const names = checker.getExportsOfModule(module).map((symbol) => {
      const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const doc = ts.displayPartsToString(real.getDocumentationComment(checker));
      return { name: symbol.name, isType: (real.flags & ts.SymbolFlags.Value) === 0, doc };
    });
    return names.sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  return new Map([...doors].map(([entry, source]) => [entry, namesOf(entry, source)]));
}

/** The names of each entry, one a line: `signalbox/trace`, then its names, types marked. */
export function exportsText(entries: ReadonlyMap<string, readonly ExportedName[]>): string {
  const parts = [...entries].map(([entry, names]) => {
    const lines = names.map(({ name, isType }) => `  ${name}${isType ? " (type)" : ""}`);
    return [`${entry}: ${names.length}`, ...lines].join("\n");
  });
  return `${parts.join("\n\n")}\n`;
}
