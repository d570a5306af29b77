import path from "node:path";
import ts from "typescript";
import { doors, programWith, root } from "../examples-in-docs/program.ts";

/** What each entry of the package exports, one name a line: `signalbox/trace`, then its names, types marked. */
export function exportsText(): string {
  const program = programWith(new Map());
  const checker = program.getTypeChecker();
  const parts = [...doors].map(([entry, source]) => {
    const file = program.getSourceFile(path.join(root, source));
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`Expected a module for ${entry}, found none at ${source}.`);
    const names = checker.getExportsOfModule(module).map((symbol) => {
      const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return `  ${symbol.name}${real.flags & ts.SymbolFlags.Value ? "" : " (type)"}`;
    });
    return [`${entry}: ${names.length}`, ...names.sort()].join("\n");
  });
  return `${parts.join("\n\n")}\n`;
}
