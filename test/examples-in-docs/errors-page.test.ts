import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { filesIn } from "../support/sources.ts";
import { type ErrorCode, errorCodesIn } from "./error-codes.ts";
import { doors, programWith, root } from "./program.ts";

let program: ts.Program;
let codes: readonly ErrorCode[] = [];
beforeAll(() => {
  program = programWith(new Map());
  codes = errorCodesIn(program);
});

/** Every exported class with a `code` that an instance of Error has. */
function exportedErrors(): readonly string[] {
  const checker = program.getTypeChecker();
  return [...doors.values()].flatMap((source) => {
    const file = program.getSourceFile(path.join(root, source));
    const module = file && checker.getSymbolAtLocation(file);
    return (module === undefined ? [] : checker.getExportsOfModule(module)).flatMap((symbol) => {
      const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const type = real.flags & ts.SymbolFlags.Class ? checker.getDeclaredTypeOfSymbol(real) : undefined;
      return type?.getProperty("code") && type.getProperty("stack") ? [symbol.name] : [];
    });
  });
}

describe("the page about error codes", () => {
  test("has the codes of each exported error, and of each result of an operation", () => {
    const holders = new Set(codes.flatMap((code) => code.holders));
    expect(new Set(exportedErrors()).size).toBeGreaterThan(15);
    for (const name of exportedErrors().filter((each) => each !== "SignalboxError"))
      expect(holders).toContain(name);
    for (const name of ["AnswerResult", "QueueResult", "EditResult", "CompactResult"])
      expect(holders).toContain(name);
  });

  test("has every code that the package itself gives a ModelError", () => {
    const sources = filesIn(["actors", "adapters"]).map((name) =>
      readFileSync(path.join(root, name), "utf8"),
    );
    const given = sources.flatMap((text) => [
      ...[...text.matchAll(/new ModelError\(\s*"(\w+)"/g)].map(([, code]) => code ?? ""),
      ...[...text.matchAll(/\[\d{3}, "(\w+)"\]/g)].map(([, code]) => code ?? ""),
    ]);
    expect(new Set(given).size).toBeGreaterThan(15);
    const listed = codes.filter(({ holders }) => holders.includes("ModelError")).map(({ code }) => code);
    for (const code of new Set(given)) expect(listed).toContain(code);
  });
});
