import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { doors, programWith, root, sourcesIn } from "./program.ts";

/** The page's tables: the codes of each, by the heading above it. */
const tables = new Map<string, string[]>();
let heading = "";
for (const line of readFileSync(path.join(root, "docs/reference/errors.md"), "utf8").split("\n")) {
  heading = /^##+ (\w+)$/.exec(line)?.[1] ?? heading;
  const code = /^\| `(\w+)` \|/.exec(line)?.[1];
  if (code !== undefined) tables.set(heading, [...(tables.get(heading) ?? []), code]);
}

/** The codes of each exported error, and of each exported union of codes that a value carries. */
const exported = new Map<string, readonly string[]>();

beforeAll(() => {
  const program = programWith(new Map());
  const checker = program.getTypeChecker();
  for (const source of doors.values()) {
    const file = program.getSourceFile(path.join(root, source));
    const module = file && checker.getSymbolAtLocation(file);
    for (const symbol of module === undefined ? [] : checker.getExportsOfModule(module)) {
      const codes = codesOf(checker, symbol);
      if (codes !== undefined) exported.set(symbol.name, codes);
    }
  }
}, 120_000);

function codesOf(checker: ts.TypeChecker, symbol: ts.Symbol): readonly string[] | undefined {
  const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  if (!(real.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.TypeAlias))) return undefined;
  const type = checker.getDeclaredTypeOfSymbol(real);
  const literals = literalsOf(type);
  // A union of words is a list of codes where its name says so; an error's own list is read off the error.
  if (literals.length > 0) return /(Refusal|Fault)$/.test(symbol.name) ? literals : undefined;
  if (real.flags & ts.SymbolFlags.Class) {
    const code = type.getProperty("code");
    return code === undefined ? undefined : literalsOf(checker.getTypeOfSymbol(code));
  }
  return symbol.name === "QueueResult"
    ? type.isUnion()
      ? type.types.flatMap((part) => refusalOf(checker, part))
      : []
    : undefined;
}

function refusalOf(checker: ts.TypeChecker, type: ts.Type): readonly string[] {
  const code = type.getProperty("code");
  return code === undefined ? [] : literalsOf(checker.getTypeOfSymbol(code));
}

function literalsOf(type: ts.Type): readonly string[] {
  const parts = type.isUnion() ? type.types : [type];
  const words = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : []));
  return words.length === parts.length ? words : [];
}

describe("the page about errors", () => {
  test("has a table for each exported error and list of codes, and for nothing else", () => {
    expect([...tables.keys()].sort()).toEqual([...exported.keys()].sort());
  });

  test("lists exactly the codes of each", () => {
    for (const [name, codes] of exported) {
      // A model's codes are open: the API has its own.
      if (name === "ModelError") continue;
      expect([name, [...(tables.get(name) ?? [])].sort()]).toEqual([name, [...codes].sort()]);
    }
  });

  test("lists every code that the package itself gives a ModelError", () => {
    const sources = sourcesIn("actors").map((name) => readFileSync(path.join(root, name), "utf8"));
    const given = sources.flatMap((text) => [
      ...[...text.matchAll(/new ModelError\(\s*"(\w+)"/g)].map(([, code]) => code ?? ""),
      ...[...text.matchAll(/\[\d{3}, "(\w+)"\]/g)].map(([, code]) => code ?? ""),
    ]);
    expect(new Set(given).size).toBeGreaterThan(15);
    for (const code of new Set(given)) expect(tables.get("ModelError")).toContain(code);
  });
});
